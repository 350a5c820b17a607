import { execFileSync } from 'node:child_process';
import { createHash, sign } from 'node:crypto';
import { appendFile, cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exportRun } from '../../../activities/evidence/export.ts';
import { seal, signingKey, verificationKey, type Envelope } from '../../../activities/evidence/signing.ts';
import { verifyRun, type Verification } from '../../../activities/evidence/verify.ts';
import { preAuthenticationEncoding } from '../../../core/acceptance/reports/statement.ts';
import { SITE } from '../../workflows/support.ts';
import { closedRun, keys, type ClosedRun } from './runs.ts';

const STATEMENT = 'acceptance.intoto.json';
const OURS = keys('ed25519');
const ANOTHER = keys('ed25519');
const key = verificationKey(OURS.publicPem, 'public.pem');

let run: ClosedRun;
let folder: string;
beforeAll(async () => {
  run = await closedRun({ signingKey: OURS.privatePem });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rackwright-taken-'));
  await cp(run.folder, folder, { recursive: true });
});

const at = (file: string): string => join(folder, file);
const envelope = async (): Promise<Envelope> => JSON.parse(await readFile(at(STATEMENT), 'utf8')) as Envelope;
const edit = async (change: (old: Envelope) => object): Promise<void> =>
  writeFile(at(STATEMENT), JSON.stringify(change(await envelope())));
/** Signs other words with our key: what a signer itself has got wrong. */
const signAgain = (change: (statement: Record<string, unknown>) => object) =>
  edit((old) => {
    const statement = JSON.parse(Buffer.from(old.payload, 'base64').toString()) as Record<string, unknown>;
    return seal(old.payloadType, JSON.stringify(change(statement)), signingKey(OURS.privatePem));
  });
const found = ({ verified, problems }: Verification) => ({
  verified,
  problems: problems.map(({ kind, file, message }) => [kind, file?.split('/').at(-1), message]),
});

it('a copy of the folder is verified anywhere', async () => {
  expect(found(await verifyRun({ folder }, key))).toEqual({ verified: true, problems: [] });
});

describe('is not verified, and says what it is', () => {
  it.each<[string, () => Promise<unknown>, string | readonly string[], string | undefined, RegExp]>([
    [
      'a changed byte in a piece',
      async () => {
        const text = await readFile(at('0002-bmc-access.c2.json'), 'utf8');
        await writeFile(at('0002-bmc-access.c2.json'), text.replace('GET', 'PUT'));
      },
      'file-altered',
      '0002-bmc-access.c2.json',
      /was changed: its SHA-256 is/,
    ],
    [
      'a changed byte in the report',
      () => appendFile(at('0004-acceptance.report.json'), ' '),
      'file-altered',
      '0004-acceptance.report.json',
      /was changed/,
    ],
    [
      'a dropped piece',
      () => rm(at('0001-bmc-access.c1.json')),
      'file-missing',
      '0001-bmc-access.c1.json',
      /not there/,
    ],
    [
      'a dropped report',
      () => rm(at('0004-acceptance.report.json')),
      'file-missing',
      '0004-acceptance.report.json',
      /not there/,
    ],
    [
      'a piece that the report does not point to, dropped',
      () => rm(at('0003-bmc-access.c3.json')),
      'file-missing',
      '0003-bmc-access.c3.json',
      /not there/,
    ],
    [
      'an added file',
      () => writeFile(at('0005-x.y.json'), '{}'),
      'file-added',
      '0005-x.y.json',
      /was not signed/,
    ],
    [
      'an added file with the name of an unfinished write',
      () => writeFile(at('.tmp-1'), '{}'),
      'file-added',
      '.tmp-1',
      /was not signed/,
    ],
    [
      'an added file in a folder',
      async () => {
        await mkdir(at('more'));
        await writeFile(at('more/z.json'), '{}');
      },
      'file-added',
      'z.json',
      /was not signed/,
    ],
    [
      'an added file among what is referenced',
      async () => {
        await mkdir(at('referenced/n1/op-1'), { recursive: true });
        await writeFile(at('referenced/n1/op-1/0001-a.b.json'), '{}');
      },
      'file-added',
      '0001-a.b.json',
      /was not signed/,
    ],
    [
      'an altered piece whose original lies among what is referenced',
      async () => {
        const piece = '0002-bmc-access.c2.json';
        const below = `referenced/_acceptance/run-1`;
        await mkdir(at(below), { recursive: true });
        await cp(at(piece), at(`${below}/${piece}`));
        await appendFile(at(piece), ' ');
      },
      ['file-altered', 'file-added'],
      '0002-bmc-access.c2.json',
      /was changed|what is of the run does not lie in referenced/,
    ],
    [
      'a piece of the run that is there twice',
      async () => {
        await mkdir(at('referenced/_acceptance/run-1'), { recursive: true });
        await cp(at('0001-bmc-access.c1.json'), at('referenced/_acceptance/run-1/0001-bmc-access.c1.json'));
      },
      'file-added',
      '0001-bmc-access.c1.json',
      /what is of the run does not lie in referenced/,
    ],
    [
      'a pipe',
      async () => execFileSync('sh', ['-c', 'mkfifo "$0"', at('0005-x.y.json')]),
      'file-added',
      '0005-x.y.json',
      /is no plain file/,
    ],
    [
      'a pipe in the place of the statement',
      async () => {
        await rm(at(STATEMENT));
        execFileSync('sh', ['-c', 'mkfifo "$0"', at(STATEMENT)]);
      },
      'unsigned',
      STATEMENT,
      /nothing here is signed/,
    ],
    ['a link to a folder', () => symlink(tmpdir(), at('more')), 'file-added', 'more', /is no plain file/],
    [
      'a piece that was altered before it was signed',
      async () => {
        const text = (await readFile(at('0003-bmc-access.c3.json'), 'utf8')).replace('GET', 'PUT');
        await writeFile(at('0003-bmc-access.c3.json'), text);
        const sha256 = createHash('sha256').update(text).digest('hex');
        await signAgain((old) => ({
          ...old,
          subject: (old['subject'] as { name: string }[]).map((each) =>
            each.name.endsWith('c3.json') ? { ...each, digest: { sha256 } } : each,
          ),
        }));
      },
      'piece-altered',
      '0003-bmc-access.c3.json',
      /altered before it was signed/,
    ],
    ['no statement at all', () => rm(at(STATEMENT)), 'unsigned', STATEMENT, /nothing here is signed/],
    [
      'another payload type',
      () => edit((old) => ({ ...old, payloadType: 'application/json' })),
      'payload-type',
      STATEMENT,
      /"application\/json", not application\/vnd\.in-toto\+json/,
    ],
    [
      'a payload that was changed',
      () =>
        edit((old) => ({
          ...old,
          payload: Buffer.from(
            Buffer.from(old.payload, 'base64').toString().replace('PASSED', 'WARNED'),
          ).toString('base64'),
        })),
      'signature-invalid',
      STATEMENT,
      /changed after it was signed/,
    ],
    [
      'a swapped key: all signed again by somebody else',
      () =>
        edit((old) =>
          seal(
            old.payloadType,
            Buffer.from(old.payload, 'base64').toString(),
            signingKey(ANOTHER.privatePem),
          ),
        ),
      'signature-invalid',
      STATEMENT,
      /signed with another key/,
    ],
    [
      "somebody else's signature under our key's name",
      () =>
        edit((old) => {
          const other = seal(
            old.payloadType,
            Buffer.from(old.payload, 'base64').toString(),
            signingKey(ANOTHER.privatePem),
          );
          return { ...other, signatures: [{ ...other.signatures[0], keyid: key.id }] };
        }),
      'signature-invalid',
      STATEMENT,
      /the signature does not fit/,
    ],
    [
      'no signatures',
      () => edit((old) => ({ ...old, signatures: [] })),
      'signature-invalid',
      STATEMENT,
      /not at all/,
    ],
    [
      'no envelope',
      () => writeFile(at(STATEMENT), '"signed"'),
      'envelope-unreadable',
      STATEMENT,
      /no DSSE envelope/,
    ],
    [
      'a statement of ours about something else',
      () => signAgain((old) => ({ ...old, predicateType: 'https://slsa.dev/provenance/v1' })),
      'statement-unreadable',
      STATEMENT,
      /predicateType/,
    ],
    [
      'a verdict that its report does not have',
      () =>
        signAgain((old) => ({ ...old, predicate: { ...(old['predicate'] as object), result: 'FAILED' } })),
      'report-differs',
      undefined,
      /The statement says FAILED/,
    ],
    [
      'a report that points to what was not signed',
      async () => {
        await rm(at('0001-bmc-access.c1.json'));
        await signAgain((old) => ({ ...old, subject: (old['subject'] as object[]).slice(1) }));
      },
      'report-differs',
      undefined,
      /points to .*0001-bmc-access\.c1, and the statement is not about it/,
    ],
  ])('%s', async (_what, tamper, kinds, file, message) => {
    await tamper();
    const verdict = found(await verifyRun({ folder }, key));
    const problems = [kinds].flat().map((kind) => [kind, file, expect.stringMatching(message) as string]);
    expect(verdict).toEqual({ verified: false, problems });
  });

  it('with another key', async () => {
    const other = verificationKey(ANOTHER.publicPem, 'other.pem');
    expect(found(await verifyRun({ folder }, other))).toMatchObject({
      verified: false,
      problems: [['signature-invalid', STATEMENT, expect.stringContaining(key.id)]],
    });
  });

  it('in the place of another run', async () => {
    const verdict = await verifyRun({ folder, of: { site: SITE, runId: 'run-2' } }, key);
    expect(verdict.problems).toMatchObject([{ kind: 'another-run' }]);
  });

  it('with two pieces that were swapped', async () => {
    await rename(at('0001-bmc-access.c1.json'), at('x'));
    await rename(at('0002-bmc-access.c2.json'), at('0001-bmc-access.c1.json'));
    await rename(at('x'), at('0002-bmc-access.c2.json'));
    const { problems } = await verifyRun({ folder }, key);
    expect(problems.map(({ kind }) => kind)).toEqual(['file-altered', 'file-altered']);
  });
});

it('takes a key from outside, and never one that lies beside', async () => {
  await writeFile(at('public.pem'), ANOTHER.publicPem);
  expect((await verifyRun({ folder }, key)).problems).toMatchObject([{ kind: 'file-added' }]);
});

it('takes one of several signatures, and base64 for URLs', async () => {
  const two = await envelope();
  const bytes = preAuthenticationEncoding(two.payloadType, Buffer.from(two.payload, 'base64'));
  const other = sign(null, bytes, ANOTHER.privatePem).toString('base64url');
  await edit((old) => ({
    ...old,
    payload: Buffer.from(old.payload, 'base64').toString('base64url'),
    signatures: [{ sig: other }, ...old.signatures],
  }));
  expect(await verifyRun({ folder }, key)).toMatchObject({ verified: true });
});

describe('a key to verify with', () => {
  it.each([
    ['a private one', OURS.privatePem, /holds a private key/],
    ['none', 'hello', /is no public key as PEM/],
  ])('is not %s', (_what, pem, message) => {
    expect(() => verificationKey(pem, 'key.pem')).toThrow(message);
  });
});

describe('what is exported', () => {
  it('is verified elsewhere, with the kept evidence of another run', async () => {
    const [ref] = run.report.gates[0]!.checks[0]!.evidence!;
    const later = await closedRun({
      signingKey: OURS.privatePem,
      runId: 'run-2',
      site: run.site,
      root: run.root,
      keptFrom: { runId: 'run-1', ref: ref! },
    });
    const out = join(folder, 'out');
    expect(await exportRun(later.folder, later.report, out)).toBe(6);
    await rename(out, `${folder}-moved`);
    expect(await verifyRun({ folder: `${folder}-moved` }, key)).toMatchObject({ verified: true, files: 5 });
    await appendFile(
      join(`${folder}-moved`, 'referenced', '_acceptance', 'run-1', `${ref!.id.split('/').at(-1)}.json`),
      ' ',
    );
    expect((await verifyRun({ folder: `${folder}-moved` }, key)).problems).toMatchObject([
      { kind: 'file-altered' },
    ]);
  });

  it('has the evidence of an operation that a check points to', async () => {
    const ref = await run.site.evidence.put(
      {
        site: SITE,
        node: 'n1',
        requestId: 'deploy-1',
        step: 'write-image',
        name: 'agent-status',
        asked: 'status',
        of: 'n1',
        from: 'worker',
        answer: {},
      },
      run.site.secrets,
    );
    const later = await closedRun({
      signingKey: OURS.privatePem,
      runId: 'run-3',
      site: run.site,
      root: run.root,
      keptFrom: { runId: 'run-1', ref },
    });
    expect(await verifyRun({ folder: later.folder }, key)).toMatchObject({ verified: true, files: 5 });
    const out = join(folder, 'with-operation');
    await exportRun(later.folder, later.report, out);
    expect(await verifyRun({ folder: out }, key)).toMatchObject({ verified: true, files: 5 });
    await rm(join(out, 'referenced', 'n1'), { recursive: true });
    expect((await verifyRun({ folder: out }, key)).problems).toMatchObject([
      { kind: 'file-missing', file: `${SITE}/n1/deploy-1/0001-write-image.agent-status.json` },
    ]);
  });

  it('goes into no folder that has something in it', async () => {
    await expect(exportRun(run.folder, run.report, folder)).rejects.toMatchObject({
      failure: { code: 'INVALID_MESSAGE' },
    });
  });
});
