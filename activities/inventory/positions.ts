import type { FieldPath } from '../../contracts/inventory/findings.ts';

/** A place in a file; lines and columns count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where a member of a map or a list stands. */
export interface MemberPosition {
  readonly key?: Position;
  readonly value: Position;
}

type Container = object;

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** Remembers for each map and list that was read where its members stand. */
export class Positions {
  readonly #members = new WeakMap<Container, Map<string | number, MemberPosition>>();

  set(container: Container, key: string | number, position: MemberPosition): void {
    const members = this.#members.get(container) ?? new Map<string | number, MemberPosition>();
    members.set(key, position);
    this.#members.set(container, members);
  }

  get(container: Container, key: string | number): MemberPosition | undefined {
    return this.#members.get(container)?.get(key);
  }

  /**
   * Where the field of a path stands: a scalar at its value, a map or list at its key. A field that
   * is missing takes the place of the nearest one around it that is there.
   */
  locate(root: unknown, path: FieldPath, start: Position, atKey = false): Position {
    let container: unknown = root;
    let found = start;
    for (const part of path) {
      const member = isContainer(container) ? this.get(container, part) : undefined;
      if (member === undefined) return found;
      container = (container as Record<string | number, unknown>)[part];
      const asKey = isContainer(container) || (atKey && part === path.at(-1));
      found = asKey ? (member.key ?? member.value) : member.value;
    }
    return found;
  }
}
