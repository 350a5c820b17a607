import { canonicalJson } from '../../core/canonical-json.ts';
import type { Inventory } from './inventory.ts';

/** One difference between two inventories. Values are as in the inventory: secrets are references. */
export interface Change {
  /** As in `nodes[r1-n1].bmc.address`: items with a name are found by it. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before?: unknown;
  readonly after?: unknown;
}

type Tree = { readonly [key: string]: unknown };

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNamed = (items: readonly unknown[]): items is readonly { name: string }[] =>
  items.length > 0 && items.every((item) => isTree(item) && typeof item['name'] === 'string');

const byName = (items: readonly { name: string }[]): Tree =>
  Object.fromEntries(items.map((item) => [item.name, item]));

/** Lists of named items compare by name, so that a changed order is no change. */
function branches(before: unknown, after: unknown): { a: Tree; b: Tree; named: boolean } | undefined {
  if (isTree(before) && isTree(after)) return { a: before, b: after, named: false };
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  const all = [...before, ...after];
  if (!isNamed(all)) return undefined;
  return { a: byName(before), b: byName(after), named: true };
}

function compare(path: string, before: unknown, after: unknown, changes: Change[]): void {
  if (before === undefined && after === undefined) return;
  if (before === undefined) return void changes.push({ path, kind: 'added', after });
  if (after === undefined) return void changes.push({ path, kind: 'removed', before });
  const pair = branches(before, after);
  if (pair === undefined) {
    if (canonicalJson(before) !== canonicalJson(after)) {
      changes.push({ path, kind: 'changed', before, after });
    }
    return;
  }
  for (const key of new Set([...Object.keys(pair.a), ...Object.keys(pair.b)])) {
    const inner = pair.named ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    compare(inner, pair.a[key], pair.b[key], changes);
  }
}

/** What changes from one normalised inventory to another, by path, in the order of the inventories. */
export function diffInventories(before: Inventory, after: Inventory): Change[] {
  const changes: Change[] = [];
  compare('', before, after, changes);
  return changes;
}
