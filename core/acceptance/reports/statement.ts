import { canonicalJson } from '../../canonical-json.ts';
import { gateOf } from '../gates.ts';
import type { AcceptanceReport, CheckOutcome, GateReport } from '../report.ts';

/** What a run leaves, as an in-toto Statement v1 with the predicate of a test result. */

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
export const TEST_RESULT = 'https://in-toto.io/attestation/test-result/v0.1';
/** The payload type of a DSSE envelope around a statement. */
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** A file that the statement is about: where it lies in the store of evidence, and the SHA-256 of its bytes. */
export interface Subject {
  readonly name: string;
  readonly digest: { readonly sha256: string };
}

export interface TestResult {
  readonly result: 'PASSED' | 'WARNED' | 'FAILED';
  /** The contract that the site was held to, by its hash. */
  readonly configuration: readonly Subject[];
  readonly passedTests: readonly string[];
  /** Gates that were left out: by their own name, so that none of their checks is taken for one that was made. */
  readonly warnedTests: readonly string[];
  /** Those that failed, and those that could not be told: neither has passed. */
  readonly failedTests: readonly string[];
}

export interface Statement {
  readonly _type: typeof STATEMENT_TYPE;
  readonly subject: readonly Subject[];
  readonly predicateType: typeof TEST_RESULT;
  readonly predicate: TestResult;
}

/** The subject of a piece of evidence. */
export const subjectOf = (id: string, sha256: string): Subject => ({
  name: `${id}.json`,
  digest: { sha256 },
});

/** The statement about a run that is over, and about the files that it left. */
export const statementOf = (report: AcceptanceReport, subject: readonly Subject[]): Statement => ({
  _type: STATEMENT_TYPE,
  subject: [...subject].sort((a, b) => (a.name < b.name ? -1 : 1)),
  predicateType: TEST_RESULT,
  predicate: testResultOf(report),
});

/**
 * The verdict of a run in the words of the predicate. Only a pass of all that was wanted is PASSED, and one with a gate
 * left out WARNED; a skipped check is in no list.
 */
export function testResultOf(report: AcceptanceReport): TestResult {
  const { site, outcome, contractHash, gates } = report;
  const leftOut = gates.filter((gate) => gate.leftOut !== undefined);
  return {
    result: outcome !== 'pass' ? 'FAILED' : leftOut.length === 0 ? 'PASSED' : 'WARNED',
    configuration:
      contractHash === undefined ? [] : [{ name: `contract of ${site}`, digest: { sha256: contractHash } }],
    passedTests: testsOf(gates, ['pass']),
    warnedTests: leftOut.map(({ gate }) => gateOf(gate).id),
    failedTests: testsOf(gates, ['fail', 'error']),
  };
}

/** `host-baseline/bmc-access`, for each check that came out so. */
const testsOf = (gates: readonly GateReport[], outcomes: readonly CheckOutcome[]): string[] =>
  gates.flatMap(({ gate, checks }) =>
    checks
      .filter(({ outcome }) => outcome !== undefined && outcomes.includes(outcome))
      .map(({ id }) => `${gateOf(gate).id}/${id}`),
  );

/** What is signed: equal statements give equal bytes. */
export const payloadOf = (statement: Statement): string => canonicalJson(statement);

type Read = { readonly statement: Statement } | { readonly wrong: string };

/** Reads a statement from what was signed; total. It says what is wrong with one that is not ours. */
export function readStatement(payload: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return { wrong: 'what was signed is no JSON' };
  }
  if (!isObject(value)) return { wrong: 'what was signed is no JSON object' };
  if (value['_type'] !== STATEMENT_TYPE) return { wrong: `its _type is not ${STATEMENT_TYPE}` };
  if (value['predicateType'] !== TEST_RESULT) return { wrong: `its predicateType is not ${TEST_RESULT}` };
  const { subject, predicate } = value;
  if (!Array.isArray(subject) || subject.length === 0 || !subject.every(isSubject)) {
    return { wrong: 'its subject is no list of names with SHA-256 digests' };
  }
  if (new Set(subject.map(({ name }) => name)).size !== subject.length) {
    return { wrong: 'its subject names a file twice' };
  }
  if (!isObject(predicate)) return { wrong: 'it has no predicate' };
  return { statement: value as unknown as Statement };
}

function isSubject(value: unknown): value is Subject {
  if (!isObject(value) || typeof value['name'] !== 'string' || !isObject(value['digest'])) return false;
  const { sha256 } = value['digest'];
  return typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What DSSE signs: type and payload with their lengths, so that neither can be taken for a part of the other. */
export function preAuthenticationEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const utf8 = new TextEncoder();
  const type = utf8.encode(payloadType);
  const head = utf8.encode(`DSSEv1 ${type.length} ${payloadType} ${payload.length} `);
  const whole = new Uint8Array(head.length + payload.length);
  whole.set(head);
  whole.set(payload, head.length);
  return whole;
}
