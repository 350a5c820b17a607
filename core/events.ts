import { asFailure } from './errors/failure.ts';
import type { FieldProblem } from './fields.ts';
import { isName, isRequestId } from './names.ts';
import { OUTCOMES, type OperationEnd, type OperationEvent, type OperationInput } from './operations.ts';
import { PHASES, type Phase } from './phases.ts';
import { RESIDUES } from './steps.ts';
import { isOperationVerb, isVerb } from './verbs.ts';

type Start =
  | { readonly ok: true; readonly value: OperationInput }
  | { readonly ok: false; readonly problem: FieldProblem };

/** The fields of an operation's input that everything else relies on, and what each must be. */
const START_FIELDS: { readonly [name: string]: [expects: string, accepts: (value: unknown) => boolean] } = {
  site: ['the name of a site', isName],
  node: ['the name of a node', isName],
  requestId: ['a request id', isRequestId],
  kind: ['a verb, or cleanup', (value) => value === 'cleanup' || isVerb(value)],
  args: ['an object', (value) => isObject(value)],
  source: ['signal, update, schedule or internal', (value) => SOURCES.includes(value)],
  snapshot: ['what the node was', (value) => isObject(value) && isPhase(value['phase'])],
  generation: ['a whole number', Number.isSafeInteger],
  residue: ['a list of what is left', (value) => among(RESIDUES, value)],
  refusal: ['a failure', (value) => value === undefined || asFailure(value) !== undefined],
};
const SOURCES: readonly unknown[] = ['signal', 'update', 'schedule', 'internal'];

/** Checks the input of a workflow `operation`, which anyone in the namespace could start by hand. */
export function parseOperationStart(input: unknown): Start {
  if (!isObject(input))
    return { ok: false, problem: { field: '(input)', message: 'must be one JSON object' } };
  for (const [field, [expects, accepts]] of Object.entries(START_FIELDS)) {
    if (!accepts(input[field])) return { ok: false, problem: { field, message: `must be ${expects}` } };
  }
  return { ok: true, value: input as unknown as OperationInput };
}

type Unknown = { readonly [key: string]: unknown };

const isObject = (value: unknown): value is Unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPhase = (value: unknown): value is Phase => (PHASES as readonly unknown[]).includes(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 300;
const among = (list: readonly unknown[], value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => list.includes(item));
/** Whether a field is left out, or is what it must be. */
const optional = (value: unknown, accepts: (value: unknown) => boolean): boolean =>
  value === undefined || accepts(value);

/**
 * Reads what an operation tells its node. Total: the signal is open to anyone in the namespace, and a
 * message that is no such event changes nothing.
 */
export function parseOperationEvent(input: unknown): OperationEvent | undefined {
  if (!isObject(input) || !isText(input['requestId'])) return undefined;
  const { type, requestId, phase, step, failure: given } = input;
  if (type === 'ended') {
    const end = parseEnd(input['end']);
    return end && { type, requestId, end };
  }
  if (!isPhase(phase)) return undefined;
  if (type === 'held') {
    const failure = asFailure(given);
    return failure && { type, requestId, phase, failure };
  }
  if (type !== 'progress' || !(step === null || isText(step))) return undefined;
  return { type, requestId, phase, step };
}

function parseEnd(input: unknown): OperationEnd | undefined {
  if (!isObject(input)) return undefined;
  const sound =
    (OUTCOMES as readonly unknown[]).includes(input['outcome']) &&
    isPhase(input['phase']) &&
    among(RESIDUES, input['residue']) &&
    optional(input['failure'], (value) => asFailure(value) !== undefined) &&
    optional(input['power'], (value) => value === 'on' || value === 'off' || value === 'unknown') &&
    optional(input['health'], isText) &&
    optional(input['drift'], (value) => typeof value === 'boolean') &&
    optional(input['drifted'], isText) &&
    optional(input['retired'], (value) => typeof value === 'boolean') &&
    optional(
      input['supports'],
      (value) => Array.isArray(value) && value.every((verb) => isVerb(verb) && isOperationVerb(verb)),
    );
  return sound ? (input as unknown as OperationEnd) : undefined;
}
