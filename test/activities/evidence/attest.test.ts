import { generateKeyPairSync } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeAcceptance, reportOf } from '../../../activities/acceptance.ts';
import { verificationKey } from '../../../activities/evidence/signing.ts';
import { verifyRun } from '../../../activities/evidence/verify.ts';
import { fail } from '../../../core/errors/failure.ts';
import { SITE } from '../../workflows/support.ts';
import { closedRun, keys } from './runs.ts';

const STATEMENT = 'acceptance.intoto.json';
const idOf = (name: string): string => `${SITE}/_acceptance/run-1/${name}`;

describe('a run that is closed', () => {
  it.each(['ed25519', 'P-256'] as const)('is signed with the key of its contract, %s', async (kind) => {
    const { privatePem, publicPem } = keys(kind);
    const run = await closedRun({ signingKey: privatePem });
    const key = verificationKey(publicPem, 'public.pem');
    const signature = {
      signed: true,
      keyId: key.id,
      algorithm: kind === 'ed25519' ? 'ed25519' : 'ecdsa-p256',
    };
    expect(run.closed).toMatchObject({ signature, evidence: [{ name: 'report' }] });
    expect(await reportOf({ name: SITE, evidence: run.site.evidence }, 'run-1')).toMatchObject({ signature });
    expect(await verifyRun({ folder: run.folder }, key)).toMatchObject({
      verified: true,
      problems: [],
      files: 4,
      run: { site: SITE, runId: 'run-1' },
      report: { outcome: 'pass' },
    });
  });

  it('that is closed again, since the worker died, is signed as one', async () => {
    const { privatePem, publicPem } = keys('ed25519');
    const run = await closedRun({ signingKey: privatePem });
    const before = await readFile(join(run.folder, STATEMENT), 'utf8');
    await closeAcceptance(run.site, { report: run.report });
    expect(await readdir(run.folder)).toHaveLength(5);
    expect(await readFile(join(run.folder, STATEMENT), 'utf8')).not.toBe(before);
    const verified = await verifyRun({ folder: run.folder }, verificationKey(publicPem, 'public.pem'));
    expect(verified).toMatchObject({ verified: true, files: 4 });
  });

  it('without a key in its contract says so, and leaves no statement', async () => {
    const run = await closedRun();
    expect(run.closed.signature).toEqual({
      signed: false,
      why: 'The contract names no key: `acceptance.signingKey`.',
    });
    expect(await readdir(run.folder)).not.toContain(STATEMENT);
  });

  it.each<[string, string | Error, RegExp]>([
    [
      'that cannot be read',
      fail(
        'SECRET_UNRESOLVED',
        'The secret file:signing.pem could not be resolved: reading it failed with ENOENT.',
      ),
      /^The secret file:signing\.pem could not be resolved: reading it failed with ENOENT\.$/,
    ],
    ['that is no key', 'hello', /cannot be read as a PKCS#8 private key: it is no such PEM\.$/],
    [
      'that has a passphrase',
      generateKeyPairSync('ed25519').privateKey.export({
        type: 'pkcs8',
        format: 'pem',
        cipher: 'aes-256-cbc',
        passphrase: 'x',
      }) as string,
      /it is encrypted, and no passphrase is asked for\.$/,
    ],
    [
      'of another kind',
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      }) as string,
      /^The signing key is neither an Ed25519 nor a P-256 key\./,
    ],
  ])('with a key %s keeps its verdict, and says why it is not signed', async (_what, signingKey, why) => {
    const { closed, site, report } = await closedRun({ signingKey });
    expect(closed.signature).toEqual({ signed: false, why: expect.stringMatching(why) as string });
    const kept = await reportOf({ name: SITE, evidence: site.evidence }, report.runId);
    expect(kept).toMatchObject({ outcome: 'pass', signature: { signed: false } });
  });

  it('and whose key is gone when it is closed again keeps no statement of before', async () => {
    const signed = await closedRun({ signingKey: keys('ed25519').privatePem });
    const secret = async () => {
      throw fail('SECRET_UNRESOLVED', 'gone');
    };
    await closeAcceptance({ ...signed.site, secret }, { report: signed.report });
    expect(await readdir(signed.folder)).not.toContain(STATEMENT);
  });

  it.each([
    ['that its report names', '0001-bmc-access.c1', (text: string) => text.replace('GET', 'PUT')],
    ['that no report names', '0003-bmc-access.c3', (text: string) => text.replace('GET', 'PUT')],
    ['that is another one with a hash of its own', '0001-bmc-access.c1', () => ''],
  ])(
    'and has a piece %s, which was altered before, is not signed, and says why',
    async (_what, name, change) => {
      const run = await closedRun({ signingKey: keys('ed25519').privatePem });
      const file = join(run.folder, `${name}.json`);
      const changed = change(await readFile(file, 'utf8'));
      if (changed === '')
        await run.site.evidence.put(
          { ...(await run.site.evidence.read(idOf(name))), answer: 'forged' },
          run.site.secrets,
        );
      else await writeFile(file, changed);
      const { signature } = await closeAcceptance(run.site, { report: run.report });
      const why = `Evidence ${idOf(name)} is not what was stored. It was altered before the run was signed.`;
      expect(signature).toEqual({ signed: false, why });
      expect(await readdir(run.folder)).not.toContain(STATEMENT);
      const kept = await reportOf({ name: SITE, evidence: run.site.evidence }, run.report.runId);
      expect(kept).toMatchObject({ outcome: 'pass', signature: { signed: false, why } });
    },
  );

  it('and has lost a piece that its report names is not signed, and says why', async () => {
    const run = await closedRun({ signingKey: keys('ed25519').privatePem });
    await rm(join(run.folder, '0001-bmc-access.c1.json'));
    const { signature } = await closeAcceptance(run.site, { report: run.report });
    const why = `Evidence ${idOf('0001-bmc-access.c1')} is not there. The report of the run points to it.`;
    expect(signature).toEqual({ signed: false, why });
    expect(await readdir(run.folder)).not.toContain(STATEMENT);
  });

  it('holds neither the key nor another secret', async () => {
    const { privatePem } = keys('P-256');
    const run = await closedRun({ signingKey: privatePem });
    const lines = privatePem.split('\n').filter((line) => line.length > 0 && !line.startsWith('-----'));
    for (const file of await readdir(run.folder)) {
      const text = await readFile(join(run.folder, file), 'utf8');
      for (const secret of [...lines, 'hunter2hunter2']) expect(text.includes(secret)).toBe(false);
    }
    expect(JSON.stringify(run.closed)).not.toContain(lines[0]);
  });

  it('proves kept evidence of another run too, in the store', async () => {
    const { privatePem, publicPem } = keys('ed25519');
    const first = await closedRun({ signingKey: privatePem, runId: 'run-0' });
    const ref = first.report.gates[0]!.checks[0]!.evidence![0]!;
    const run = await closedRun({
      signingKey: privatePem,
      site: first.site,
      root: first.root,
      keptFrom: { runId: 'run-0', ref },
    });
    const key = verificationKey(publicPem, 'public.pem');
    expect(await verifyRun({ folder: run.folder }, key)).toMatchObject({ verified: true, files: 5 });
    const gone = join(first.root, `${ref.id}.json`);
    await rm(gone);
    expect((await verifyRun({ folder: run.folder }, key)).problems).toMatchObject([
      { kind: 'file-missing', file: `${ref.id}.json` },
    ]);
  });
});
