import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptanceReportSchema } from '../../contracts/acceptance-report.ts';
import { reportJunit } from '../../core/acceptance/reports/junit.ts';
import { preAuthenticationEncoding } from '../../core/acceptance/reports/statement.ts';
import { closedRun, keys, type ClosedRun, type Keys } from '../activities/evidence/runs.ts';
import { FAILING, HELD, HOSTILE, KEPT, PASSING, UNOPENED } from '../core/acceptance/reports/samples.ts';
import { judge } from '../peers/reports.ts';

/** What runs leave, judged by programs that are not ours. */

const run = promisify(execFile);
const SAMPLES = { PASSING, FAILING, HELD, HOSTILE, KEPT, UNOPENED };

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'rackwright-judged-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function written(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, content);
  return path;
}

interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly sig: string; readonly keyid: string }[];
}

describe.each(['ed25519', 'P-256'] as const)('a run that is signed with %s', (kind) => {
  let pair: Keys;
  let closed: ClosedRun;
  let statement: string;
  let publicKey: string;
  beforeAll(async () => {
    pair = keys(kind);
    closed = await closedRun({ signingKey: pair.privatePem, base: FAILING });
    statement = join(closed.folder, 'acceptance.intoto.json');
    publicKey = await written(`${kind}.pem`, pair.publicPem);
  });

  it('is verified by securesystemslib', async () => {
    expect(await judge('dsse', statement, publicKey)).toMatchObject({
      says: {
        payloadType: 'application/vnd.in-toto+json',
        statement: { predicate: { result: 'FAILED' } },
      },
    });
  });

  it('is not, with another key or another byte', async () => {
    const other = await written(`${kind}-other.pem`, keys(kind).publicPem);
    expect(await judge('dsse', statement, other)).toEqual({
      refuses: expect.stringContaining('VerificationError'),
    });
    const envelope = JSON.parse(await readFile(statement, 'utf8')) as Envelope;
    const payload = Buffer.from(envelope.payload, 'base64').toString().replace('FAILED', 'PASSED');
    const forged = await written(
      `${kind}-forged.json`,
      JSON.stringify({ ...envelope, payload: Buffer.from(payload).toString('base64') }),
    );
    expect(await judge('dsse', forged, publicKey)).toEqual({
      refuses: expect.stringContaining('VerificationError'),
    });
  });

  it('is a statement and a test result by the definitions of in-toto', async () => {
    expect(await judge('intoto', statement)).toEqual({
      says: {
        type: 'https://in-toto.io/attestation/test-result/v0.1',
        subjects: 4,
        result: 'FAILED',
        passed: ['host-baseline/check-1-0', 'kubernetes-and-storage/nodes-ready'],
        failed: ['kubernetes-and-storage/system-pods', 'kubernetes-and-storage/claims-bound'],
      },
    });
  });

  it('is verified by openssl, and its subjects are what sha256sum says of the files', async () => {
    const { payload, payloadType, signatures } = JSON.parse(await readFile(statement, 'utf8')) as Envelope;
    const bytes = Buffer.from(payload, 'base64');
    const signed = await written(`${kind}.signed`, preAuthenticationEncoding(payloadType, bytes));
    const signature = await written(`${kind}.sig`, Buffer.from(signatures[0]!.sig, 'base64'));
    const args = ['pkeyutl', '-verify', '-pubin', '-inkey', publicKey, '-rawin', '-in', signed];
    const digest = kind === 'P-256' ? ['-digest', 'sha256'] : [];
    const { stdout } = await run('openssl', [...args, ...digest, '-sigfile', signature]);
    expect(stdout).toContain('Signature Verified Successfully');
    const { subject } = JSON.parse(bytes.toString()) as {
      subject: { name: string; digest: { sha256: string } }[];
    };
    const sums = subject
      .map(({ name, digest: { sha256 } }) => `${sha256}  ${join(closed.root, name)}\n`)
      .join('');
    const list = await written(`${kind}.sums`, sums);
    await expect(run('sha256sum', ['--check', '--strict', list])).resolves.toBeDefined();
  });

  it('is verified by the commands of the guide', async () => {
    const guide = await readFile('docs/how-to/prove-an-acceptance-run.md', 'utf8');
    const script = /^```sh\n([\s\S]*?)^```$/m
      .exec(guide)![1]!
      .replace('proof/acceptance.intoto.json', statement);
    await written('public.pem', pair.publicPem);
    const { stdout } = await run('sh', ['-e', '-c', script], { cwd: dir });
    expect(stdout).toContain('Signature Verified Successfully');
  });
});

describe.each(Object.entries(SAMPLES))('the report %s', (name, report) => {
  it('is valid by its JSON Schema', async () => {
    const document = await written(`${name}.json`, JSON.stringify(report));
    const schema = await written('schema.json', JSON.stringify(acceptanceReportSchema()));
    expect(await judge('schema', document, schema)).toEqual({ says: [] });
  });

  it('is JUnit XML whose counts are those of its cases', async () => {
    const file = await written(`${name}.xml`, reportJunit(report));
    const { says } = (await judge('junit', file)) as { says: { declared: number[][]; counted: number[][] } };
    expect(says.declared).toEqual(says.counted);
  });
});

it('a report that is none is not valid', async () => {
  const document = await written('wrong.json', JSON.stringify({ ...PASSING, outcome: 'green', gates: [{}] }));
  const schema = await written('schema.json', JSON.stringify(acceptanceReportSchema()));
  const { says } = (await judge('schema', document, schema)) as { says: string[] };
  expect(says).toContain('$.outcome');
  expect(says).toContain('$.gates[0]');
});

it('JUnit XML of a fail has a failure, an error and what was skipped, each in its place', async () => {
  const { says } = (await judge('junit', await written('failing.xml', reportJunit(FAILING)))) as {
    says: { cases: object; suites: string[] };
  };
  expect(says.suites).toHaveLength(8);
  expect(says.cases).toMatchObject({
    'lab.run/verdict': ['Failure'],
    'lab.kubernetes-and-storage/nodes-ready': [],
    'lab.kubernetes-and-storage/system-pods': ['Failure'],
    'lab.kubernetes-and-storage/claims-bound': ['Error'],
    'lab.kubernetes-and-storage/ceph-health': ['Skipped'],
  });
});
