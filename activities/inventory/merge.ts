import { canonicalJson } from '../../core/canonical-json.ts';
import { fieldName, type FieldPath } from '../../contracts/inventory/findings.ts';
import type { Position, Positions } from './positions.ts';
import type { InventoryProblem } from './problems.ts';

type Tree = Record<string, unknown>;

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const nameOf = (item: unknown): string | undefined =>
  isTree(item) && typeof item['name'] === 'string' ? item['name'] : undefined;

interface Merging {
  readonly positions: Positions;
  readonly problems: InventoryProblem[];
}

function mergeTrees(a: Tree, b: Tree, path: FieldPath, merging: Merging): Tree {
  const entries = new Map<string, unknown>(Object.entries(a));
  const places = new Map(Object.keys(a).map((key) => [key, merging.positions.get(a, key)]));
  for (const [key, value] of Object.entries(b)) {
    const place = merging.positions.get(b, key);
    if (!entries.has(key)) {
      places.set(key, place);
      entries.set(key, value);
    } else {
      entries.set(
        key,
        merge(entries.get(key), value, [...path, key], places.get(key)?.key, place?.key, merging),
      );
    }
  }
  const result: Tree = Object.fromEntries(entries);
  for (const [key, place] of places) {
    if (place !== undefined) merging.positions.set(result, key, place);
  }
  return result;
}

/** Items of one name are one item; the others stand side by side. Names twice in one file stay twice. */
function mergeLists(a: unknown[], b: unknown[], path: FieldPath, merging: Merging): unknown[] {
  const result = [...a];
  const places = a.map((_item, index) => merging.positions.get(a, index));
  const indexes = new Map(a.map((item, index) => [nameOf(item), index]));
  for (const [index, item] of b.entries()) {
    const place = merging.positions.get(b, index);
    const earlier = indexes.get(nameOf(item));
    if (earlier === undefined) {
      places.push(place);
      result.push(item);
    } else {
      const [first, second] = [places[earlier]?.value, place?.value];
      result[earlier] = merge(result[earlier], item, [...path, earlier], first, second, merging);
    }
  }
  for (const [index, place] of places.entries()) {
    if (place !== undefined) merging.positions.set(result, index, place);
  }
  return result;
}

function merge(
  a: unknown,
  b: unknown,
  path: FieldPath,
  first: Position | undefined,
  second: Position | undefined,
  merging: Merging,
): unknown {
  if (isTree(a) && isTree(b)) return mergeTrees(a, b, path, merging);
  if (Array.isArray(a) && Array.isArray(b) && [...a, ...b].every((item) => nameOf(item) !== undefined)) {
    return mergeLists(a, b, path, merging);
  }
  if (canonicalJson(a) !== canonicalJson(b)) {
    const where = first === undefined ? 'another file' : `${first.file}:${first.line}`;
    merging.problems.push({
      ...(second ?? { file: '', line: 1, column: 1 }),
      path: fieldName(path),
      message: `has another value in ${where}`,
      correction: 'Give it in one file of the folder only.',
    });
  }
  return a;
}

/** Merges the files of a folder: maps by key, lists by the names of their items. Never the last one wins. */
export function mergeFiles(
  values: readonly unknown[],
  positions: Positions,
): { value: unknown; problems: InventoryProblem[] } {
  const merging: Merging = { positions, problems: [] };
  const trees = values.filter(isTree);
  const [head = {}, ...rest] = trees;
  const value = rest.reduce((a, b) => mergeTrees(a, b, [], merging), head);
  return { value, problems: merging.problems };
}
