import type { z } from 'zod';
import { correctionOf } from './rules.ts';

/** Where in an inventory: keys and indexes from the top. */
export type FieldPath = readonly (string | number)[];

/** Something wrong with an inventory, not yet tied to a line. The message never holds a value. */
export interface Finding {
  readonly path: FieldPath;
  /** Whether the key is meant (an unknown one) and not its value. */
  readonly atKey?: boolean;
  readonly message: string;
  readonly correction: string;
}

/** A path as people write it: `nodes[3].bmc.address`. */
export const fieldName = (path: FieldPath): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );

type Issue = z.core.$ZodIssue;

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'a map',
  record: 'a map',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

const listed = (values: readonly unknown[]): string => values.map(String).join(', ');

const bound = (issue: { origin?: string }, limit: unknown): string =>
  issue.origin === 'string'
    ? `${String(limit)} characters`
    : issue.origin === 'array'
      ? `${String(limit)} items`
      : String(limit);

/** Message and correction of one issue of the schema. Values of the inventory are never repeated. */
function words(issue: Issue): { message: string; correction: string } {
  const correction = correctionOf(issue.message);
  if (isMissing(issue)) {
    const kind = issue.code === 'invalid_type' ? (KINDS[issue.expected] ?? issue.expected) : undefined;
    return {
      message: 'is missing',
      correction: correction ?? (kind === undefined ? 'Add it.' : `Add it; it is ${kind}.`),
    };
  }
  if (correction !== undefined) return { message: issue.message, correction };
  switch (issue.code) {
    case 'invalid_type': {
      const kind = KINDS[issue.expected] ?? issue.expected;
      const quotes = kind === 'text' ? '; put text that looks like a number in quotes' : '';
      return { message: `is not ${kind}`, correction: `Write ${kind}${quotes}.` };
    }
    case 'invalid_value':
      return {
        message: 'is not one of the values allowed',
        correction: `Write one of: ${listed(issue.values)}.`,
      };
    case 'too_small':
      return { message: 'is too small or too short', correction: `At least ${bound(issue, issue.minimum)}.` };
    case 'too_big':
      return { message: 'is too large or too long', correction: `At most ${bound(issue, issue.maximum)}.` };
    case 'invalid_key': {
      const inner = issue.issues[0]?.message ?? '';
      return {
        message: correctionOf(inner) === undefined ? 'is not a key that may stand here' : inner,
        correction: correctionOf(inner) ?? 'Rename it as the reference of the inventory says.',
      };
    }
    case 'invalid_format':
      return {
        message: 'has the wrong form',
        correction: 'Write it as the reference of the inventory says.',
      };
    default:
      return { message: 'is not valid', correction: 'Write it as the reference of the inventory says.' };
  }
}

/** `input` is set by `safeParse(…, { reportInput: true })`; a field that is not there has none. */
const isMissing = (issue: Issue): boolean =>
  (issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union') &&
  issue.input === undefined;

/** The findings behind the schema's issues: one for each unknown key, one for each wrong field. */
export function schemaFindings(issues: readonly Issue[]): Finding[] {
  return issues.flatMap((issue): Finding[] => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: [...path, key],
        atKey: true,
        message: 'is not a field of an inventory here',
        correction: 'Remove it, or correct its spelling.',
      }));
    }
    if (issue.code === 'invalid_key') return [{ path, atKey: true, ...words(issue) }];
    return [{ path, ...words(issue) }];
  });
}
