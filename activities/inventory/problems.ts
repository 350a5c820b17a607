import type { Position } from './positions.ts';

/** One error of an inventory: where it is, what it is, and the smallest correction. */
export interface InventoryProblem extends Position {
  /** The field, as in `nodes[3].bmc.address`; empty where the file as a whole is meant. */
  readonly path: string;
  readonly message: string;
  readonly correction: string;
}

/** One line for a terminal: `rack.yaml:12:7: nodes[0].type names no machine type …`. */
export const formatProblem = ({ file, line, column, path, message, correction }: InventoryProblem): string =>
  `${file}:${line}:${column}: ${path === '' ? '' : `${path} `}${message}. ${correction}`;

/** By file, line and column; each said once. */
export function sortProblems(problems: readonly InventoryProblem[]): InventoryProblem[] {
  const once = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return [...once.values()].sort(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  );
}
