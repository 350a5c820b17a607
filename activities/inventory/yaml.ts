import {
  LineCounter,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Alias,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import type { Position, Positions } from './positions.ts';
import type { InventoryProblem } from './problems.ts';
import { syntaxWords } from './yaml-words.ts';

/** Values that a file may have once its aliases are filled in. */
const MAX_VALUES = 2_000_000;
const MAX_DEPTH = 32;

class TooMuch extends Error {}

/** Turns one parsed document into plain values, and remembers where each stands. */
class Reader {
  readonly #file: string;
  readonly #lines: LineCounter;
  readonly #positions: Positions;
  readonly #anchors = new Map<string, Node>();
  readonly #targets = new WeakMap<Alias, Node>();
  readonly #open = new Set<unknown>();
  #values = 0;
  #repeating = 0;
  readonly problems: InventoryProblem[] = [];

  constructor(file: string, lines: LineCounter, positions: Positions) {
    this.#file = file;
    this.#lines = lines;
    this.#positions = positions;
  }

  at(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#file, line: Math.max(1, line), column: Math.max(1, col) };
  }

  say(offset: number, message: string, correction: string, path = ''): void {
    this.problems.push({ ...this.at(offset), path, message, correction });
  }

  read(node: unknown, depth: number): unknown {
    this.#values += 1;
    if (this.#values > MAX_VALUES || depth > MAX_DEPTH) throw new TooMuch();
    if (isAlias(node)) return this.#readAlias(node, depth);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    // What an alias repeats was read before, and its anchors have been noted.
    if (node.anchor !== undefined && this.#repeating === 0) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return node.value;
    this.#open.add(node);
    const value = isMap(node) ? this.#readMap(node, depth) : this.#readList(node.items, depth);
    this.#open.delete(node);
    return value;
  }

  #target(alias: Alias): Node | undefined {
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (target !== undefined) this.#targets.set(alias, target);
    return target;
  }

  #readAlias(alias: Alias, depth: number): unknown {
    const target = this.#target(alias);
    if (target !== undefined && !this.#open.has(target)) {
      this.#repeating += 1;
      const value = this.read(target, depth + 1);
      this.#repeating -= 1;
      return value;
    }
    const offset = alias.range?.[0] ?? 0;
    this.say(
      offset,
      'is an alias (`*`) without an anchor (`&`) before it',
      'Define the anchor above its use; put text that begins with * in quotes.',
    );
    return null;
  }

  #readList(items: readonly unknown[], depth: number): unknown[] {
    const list: unknown[] = [];
    for (const [index, item] of items.entries()) {
      list.push(this.read(item, depth + 1));
      this.#positions.set(list, index, { value: this.at(offsetOf(item)) });
    }
    return list;
  }

  #readMap(map: YAMLMap, depth: number): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    const places = new Map<string, { key: Position; value: Position }>();
    const merged: Record<string, unknown>[] = [];
    for (const pair of map.items as Pair<unknown, unknown>[]) {
      const keyNode = isAlias(pair.key) ? this.#target(pair.key) : pair.key;
      const offset = offsetOf(pair.key);
      if (!isScalar(keyNode)) {
        this.say(offset, 'is a key that is no text', 'Write a plain word before the colon.');
        continue;
      }
      const key = String(keyNode.value);
      if (key === '<<' && keyNode.type === 'PLAIN') {
        merged.push(...this.#readMerge(pair.value, offset, depth));
        continue;
      }
      if (entries.has(key)) {
        this.say(offset, 'stands twice in this map', 'Remove one of the two.', key);
        continue;
      }
      entries.set(key, this.read(pair.value, depth + 1));
      const value = pair.value === null ? offset : offsetOf(pair.value, offset);
      places.set(key, { key: this.at(offset), value: this.at(value) });
    }
    return this.#withMerged(entries, places, merged);
  }

  /** The maps that `<<` brings in, the one that counts most first. */
  #readMerge(node: unknown, offset: number, depth: number): Record<string, unknown>[] {
    const value = this.read(node, depth + 1);
    const maps = (Array.isArray(value) ? value : [value]) as unknown[];
    if (maps.every((map) => typeof map === 'object' && map !== null && !Array.isArray(map))) {
      return maps as Record<string, unknown>[];
    }
    this.say(offset, 'merges (`<<`) something that is no map', 'Merge maps only, as in `<<: *defaults`.');
    return [];
  }

  #withMerged(
    entries: Map<string, unknown>,
    places: Map<string, { key: Position; value: Position }>,
    merged: readonly Record<string, unknown>[],
  ): Record<string, unknown> {
    const from = new Map<string, Record<string, unknown>>();
    for (const source of merged) {
      for (const [key, value] of Object.entries(source)) {
        if (entries.has(key)) continue;
        entries.set(key, value);
        from.set(key, source);
      }
    }
    // Object.fromEntries defines members of its own, `__proto__` too.
    const result: Record<string, unknown> = Object.fromEntries(entries);
    for (const key of entries.keys()) {
      const source = from.get(key);
      const place = source === undefined ? places.get(key) : this.#positions.get(source, key);
      if (place !== undefined) this.#positions.set(result, key, place);
    }
    return result;
  }
}

const offsetOf = (node: unknown, otherwise = 0): number => {
  const range = (node as { range?: readonly number[] | null } | null)?.range;
  return range?.[0] ?? otherwise;
};

/**
 * Reads one YAML (or JSON) file into plain values. Never throws; messages never repeat the text, which
 * may hold a secret that was written plainly by mistake.
 */
export function readYaml(
  text: string,
  file: string,
  positions: Positions,
): { value: unknown; problems: InventoryProblem[] } {
  const lines = new LineCounter();
  const reader = new Reader(file, lines, positions);
  let value: unknown = null;
  try {
    // Keys are compared here, once each: the parser's own check is quadratic.
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'error',
    });
    for (const { code, pos } of [...document.errors, ...document.warnings].slice(0, 100)) {
      const { message, correction } = syntaxWords(code);
      reader.say(pos[0], message, correction);
    }
    if (reader.problems.length === 0) value = reader.read(document.contents, 0);
  } catch (error) {
    const deep = error instanceof TooMuch || error instanceof RangeError;
    reader.say(
      0,
      deep ? 'is nested too deeply, or grows too large by its aliases' : 'cannot be read as YAML',
      deep
        ? 'Write the values out, or split the inventory into several files of a folder.'
        : 'Correct its syntax.',
    );
  }
  return { value, problems: reader.problems };
}
