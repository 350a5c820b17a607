import { parseDuration } from './duration.ts';
import type { Json, JsonObject } from './json.ts';

/** A field of a message: what it must be, in words, and the test. */
export interface Field {
  readonly expects: string;
  readonly required: boolean;
  readonly accepts: (value: unknown) => boolean;
}

type Fields = { readonly [name: string]: Field };

const field = (expects: string, accepts: (value: unknown) => boolean): Field => ({
  expects,
  required: false,
  accepts,
});
export const required = (f: Field): Field => ({ ...f, required: true });

/** A string that matches a pattern. Patterns bound the length. */
export const pattern = (regex: RegExp, expects: string): Field =>
  field(expects, (value) => typeof value === 'string' && regex.test(value));
export const oneOf = (...values: readonly string[]): Field =>
  field(`one of ${values.join(', ')}`, (value) => typeof value === 'string' && values.includes(value));
/** A whole number within bounds, both among them. */
export const wholeNumber = (least: number, most: number): Field =>
  field(
    `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  );
export const boolean: Field = field('true or false', (value) => typeof value === 'boolean');
export const duration: Field = field(
  'a duration such as "90s", "2h", or a number of seconds, up to 365 days',
  (value) => parseDuration(value) !== undefined,
);
/** A list of up to `most` strings that each pass. */
export const listOf = (item: Field, most: number): Field =>
  field(
    `a list of at most ${most}, each ${item.expects}`,
    (value) =>
      Array.isArray(value) && value.length <= most && Array.from(value).every((v) => item.accepts(v)),
  );

/** A problem with a message: which field, and what it must be. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: FieldProblem };

const problem = (name: string, message: string): { ok: false; problem: FieldProblem } => ({
  ok: false,
  problem: { field: name, message },
});

/** What kind of thing a value is, for an error; never its content. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `a string of ${value.length} characters`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Total parser of one JSON object: any value in, a value or the first problem out. Never throws. */
export function parseFields(input: unknown, fields: Fields): Parsed<JsonObject> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return problem('(message)', `must be one JSON object, not ${describe(input)}`);
  }
  const message = input as Record<string, unknown>;
  const unknown = Object.keys(message).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) {
    const shown = /^\w{1,40}$/.test(unknown) ? unknown : '(unprintable)';
    return problem(shown, `is not a field of this message; it has ${Object.keys(fields).join(', ')}`);
  }
  const value: JsonObject = {};
  for (const [name, spec] of Object.entries(fields)) {
    const given = Object.hasOwn(message, name) ? message[name] : undefined;
    if (given === undefined) {
      if (spec.required) return problem(name, `is required: ${spec.expects}`);
      continue;
    }
    if (!spec.accepts(given)) {
      // A list that is refused is refused for what is in it, or how much.
      const other = Array.isArray(given) ? 'another list' : describe(given);
      return problem(name, `must be ${spec.expects}, not ${other}`);
    }
    value[name] = given as Json;
  }
  return { ok: true, value };
}
