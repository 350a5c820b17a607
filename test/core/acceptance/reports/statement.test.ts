import { describe, expect, it } from 'vitest';
import {
  payloadOf,
  preAuthenticationEncoding,
  readStatement,
  statementOf,
  subjectOf,
  testResultOf,
} from '../../../../core/acceptance/reports/statement.ts';
import { FAILING, KEPT, LEFT_OUT, PASSING, UNOPENED } from './samples.ts';

const HASH = 'a'.repeat(64);
const REPORT = subjectOf('lab/_acceptance/run-1/0020-acceptance.report', HASH);

describe('the statement about a run', () => {
  it('is a test result of in-toto: what passed, what did not, by which contract', () => {
    const { predicate, ...rest } = statementOf(FAILING, [
      REPORT,
      subjectOf('lab/_acceptance/run-1/0001-a.b', HASH),
    ]);
    expect(rest).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
      subject: [
        { name: 'lab/_acceptance/run-1/0001-a.b.json', digest: { sha256: HASH } },
        { name: 'lab/_acceptance/run-1/0020-acceptance.report.json', digest: { sha256: HASH } },
      ],
    });
    expect(predicate).toEqual({
      result: 'FAILED',
      configuration: [{ name: 'contract of lab', digest: { sha256: 'c'.repeat(64) } }],
      passedTests: [
        'host-baseline/check-1-0',
        'host-baseline/check-1-1',
        'host-baseline/check-1-2',
        'kubernetes-and-storage/nodes-ready',
      ],
      warnedTests: [],
      failedTests: ['kubernetes-and-storage/system-pods', 'kubernetes-and-storage/claims-bound'],
    });
  });

  it.each([
    ['pass', 'PASSED'],
    ['fail', 'FAILED'],
    ['error', 'FAILED'],
    ['aborted', 'FAILED'],
  ] as const)('takes %s for %s', (outcome, result) => {
    expect(testResultOf({ ...PASSING, outcome }).result).toBe(result);
  });

  it('has what kept evidence shows among what passed, and of a run without a contract nothing', () => {
    expect(testResultOf(KEPT).passedTests).toHaveLength(20);
    expect(testResultOf(UNOPENED)).toMatchObject({ configuration: [], passedTests: [], failedTests: [] });
  });

  it('warns of a gate that was left out, and names none of its checks', () => {
    const { result, passedTests, warnedTests, failedTests } = testResultOf(LEFT_OUT);
    expect({ result, warnedTests, failedTests }).toEqual({
      result: 'WARNED',
      warnedTests: ['physical-acceptance'],
      failedTests: [],
    });
    expect(passedTests.filter((name) => name.startsWith('physical-acceptance'))).toEqual([]);
    expect(testResultOf({ ...LEFT_OUT, outcome: 'fail' }).result).toBe('FAILED');
  });

  it('is the same bytes each time, whatever order its pieces come in', () => {
    const other = subjectOf('lab/_acceptance/run-1/0001-a.b', HASH);
    expect(payloadOf(statementOf(PASSING, [other, REPORT]))).toBe(
      payloadOf(statementOf(PASSING, [REPORT, other])),
    );
  });
});

describe('reading a statement', () => {
  const good = statementOf(PASSING, [REPORT]);
  it('gives back what was signed', () => {
    expect(readStatement(payloadOf(good))).toEqual({ statement: good });
  });

  it.each<[string, string]>([
    ['{', 'what was signed is no JSON'],
    ['[]', 'what was signed is no JSON object'],
    [JSON.stringify({ ...good, _type: 'https://in-toto.io/Statement/v0.1' }), 'its _type is not'],
    [
      JSON.stringify({ ...good, predicateType: 'https://slsa.dev/provenance/v1' }),
      'its predicateType is not',
    ],
    [JSON.stringify({ ...good, subject: [] }), 'its subject is no list'],
    [JSON.stringify({ ...good, subject: [{ name: 'x', digest: { sha1: 'a' } }] }), 'its subject is no list'],
    [JSON.stringify({ ...good, subject: [REPORT, REPORT] }), 'its subject names a file twice'],
    [JSON.stringify({ ...good, predicate: 7 }), 'it has no predicate'],
  ])('says what is wrong with %s', (payload, wrong) => {
    expect(readStatement(payload)).toEqual({ wrong: expect.stringContaining(wrong) as string });
  });
});

describe('what DSSE signs', () => {
  // The example of the protocol itself.
  it('is type and payload with their lengths in bytes', () => {
    const encoded = preAuthenticationEncoding('http://example.com/HelloWorld', Buffer.from('hello world'));
    expect(Buffer.from(encoded).toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
    const bytes = preAuthenticationEncoding('ü', Buffer.from('é'));
    expect(Buffer.from(bytes).toString()).toBe('DSSEv1 2 ü 2 é');
  });
});
