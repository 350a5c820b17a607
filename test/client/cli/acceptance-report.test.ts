import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AcceptanceReport } from '../../../contracts/acceptance-report.ts';
import { closedRun, keys, type Keys } from '../../activities/evidence/runs.ts';
import { FAILING } from '../../core/acceptance/reports/samples.ts';
import { cli, temporaryFolder, type CliResult } from '../../support/cli.ts';

/** The command line on a data directory with runs in it, and nothing running. */

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const path = (...names: string[]): string => join(folder.path, ...names);
const run = (...args: string[]): Promise<CliResult> =>
  cli([...args, '--data-dir', path('data')], { cwd: folder.path });

let pair: Keys;
beforeAll(async () => {
  pair = keys('ed25519');
  const root = path('data', 'evidence');
  await mkdir(root, { recursive: true });
  const signed = await closedRun({ root, signingKey: pair.privatePem });
  await closedRun({ root, site: signed.site, runId: 'failed', base: FAILING });
  await writeFile(path('public.pem'), pair.publicPem);
  await writeFile(path('private.pem'), pair.privatePem);
});

describe('the report of a run that lies in the store', () => {
  it.each([
    [[], /^<!doctype html>/],
    [['--format', 'html'], /^<!doctype html>/],
    [['--format', 'junit'], /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites /],
    [['--format', 'json'], /^\{\n {2}"contractHash": /],
    [['--json'], /^\{\n {2}"contractHash": /],
    [['--format', 'intoto'], /^\{"payload":"/],
  ])('%j comes on stdout', async (args, begins) => {
    const { code, stdout, stderr } = await run('acceptance', 'report', 'run-1', ...args);
    expect(stderr).toBe('');
    expect(stdout).toMatch(begins);
    expect(code).toBe(0);
  });

  it('is one that the schema takes', async () => {
    const { stdout } = await run('acceptance', 'report', 'failed', '--format', 'json');
    expect(AcceptanceReport.parse(JSON.parse(stdout))).toMatchObject({ outcome: 'fail', stoppedAt: 2 });
  });

  it('goes into a folder in all formats; without a signature in those that there are, and it says so', async () => {
    const signed = await run('acceptance', 'report', 'run-1', '--out', path('signed'));
    expect(signed).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(path('signed'))).toEqual([
      'acceptance.html',
      'acceptance.intoto.json',
      'acceptance.json',
      'acceptance.junit.xml',
    ]);
    const { code, stderr, stdout } = await run(
      'acceptance',
      'report',
      'failed',
      '--out',
      path('unsigned/'),
      '--json',
    );
    expect(code).toBe(0);
    expect(stderr).toBe('unsigned: The contract names no key: `acceptance.signingKey`.\n');
    expect(JSON.parse(stdout)).toEqual({
      runId: 'failed',
      outcome: 'fail',
      files: ['acceptance.html', 'acceptance.json', 'acceptance.junit.xml'].map((name) =>
        path('unsigned', name),
      ),
    });
  });

  it('goes into a file in the format that its ending tells', async () => {
    await run('acceptance', 'report', 'run-1', '--out', path('a.xml'));
    await run('acceptance', 'report', 'run-1', '--out', path('a.intoto.json'));
    await run('acceptance', 'report', 'run-1', '--out', path('b.txt'), '--format', 'json');
    await run('acceptance', 'report', 'run-1', '--out', path('new', 'folder', 'c.json'));
    expect(await readFile(path('a.xml'), 'utf8')).toContain('<testsuites');
    expect(JSON.parse(await readFile(path('new', 'folder', 'c.json'), 'utf8'))).toHaveProperty('gates');
    expect(JSON.parse(await readFile(path('a.intoto.json'), 'utf8'))).toHaveProperty('payloadType');
    expect(JSON.parse(await readFile(path('b.txt'), 'utf8'))).toHaveProperty('gates');
  });

  it.each([
    [['acceptance', 'report'], 'file/b.html'],
    [['acceptance', 'report'], 'file/reports/'],
    [['evidence', 'export'], 'file/proof'],
    [['evidence', 'export'], 'file'],
  ])('%j to %j, where nothing can be written, is refused', async (command, out) => {
    await writeFile(path('file'), '');
    const { code, stderr } = await run(...command, 'run-1', '--out', path(out));
    expect(stderr).toMatch(/INVALID_MESSAGE.*: out: .* cannot be written to: (ENOTDIR|EEXIST)\./);
    expect(stderr).toContain('with --out');
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(2);
  });

  it('shows the evidence of what failed, and says where it is not what was stored', async () => {
    const { stdout } = await run('acceptance', 'report', 'failed');
    expect(stdout).toContain('<b>c3</b> was asked from worker');
    expect(stdout).toContain('&quot;Name&quot;: &quot;c3 [redacted]&quot;');
    const file = path('data', 'evidence', 'test', '_acceptance', 'failed', '0003-bmc-access.c3.json');
    const before = await readFile(file, 'utf8');
    await writeFile(file, before.replace('GET', 'PUT'));
    const altered = await run('acceptance', 'report', 'failed');
    await writeFile(file, before);
    expect(altered.stdout).toContain('<b>c3 is not what was stored.</b>');
  });

  it.each([
    [['run-1', '--format', 'pdf'], 2, 'format must be one of html, json, junit, intoto'],
    [['run-1', '--format', 'junit', '--json'], 2, 'give the file with --out'],
    [['../x'], 2, 'run must be the id of a run'],
    [['run-9'], 1, 'holds no evidence of a run run-9'],
    [['failed', '--format', 'intoto'], 1, 'REPORT_UNSIGNED'],
  ])('%j: exit %i', async (args, exit, message) => {
    const { code, stderr } = await run('acceptance', 'report', ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(exit);
  });
});

describe('evidence', () => {
  it('is verified with the public key, in the store and taken elsewhere', async () => {
    const stored = await run('evidence', 'verify', 'run-1', '--key', 'public.pem');
    expect(stored).toMatchObject({ code: 0, stderr: '' });
    expect(stored.stdout).toContain(
      'verified: run run-1 of test: pass, ended 2026-11-30T03:02:20.000Z\n  4 files',
    );
    const out = await run('evidence', 'export', 'run-1', '--out', 'proof');
    expect(out).toMatchObject({ code: 0, stdout: '5 files of run run-1 of test in proof\n' });
    const taken = await cli(['evidence', 'verify', path('proof'), '--key', path('public.pem'), '--json']);
    expect(taken.code).toBe(0);
    expect(JSON.parse(taken.stdout)).toMatchObject({
      verified: true,
      problems: [],
      runId: 'run-1',
      outcome: 'pass',
    });
  });

  it('that was changed is not, and what was changed is named: exit 1', async () => {
    await run('evidence', 'export', 'run-1', '--out', 'changed');
    await appendFile(path('changed', '0002-bmc-access.c2.json'), ' ');
    const plain = await run('evidence', 'verify', 'changed', '--key', 'public.pem');
    expect(plain).toMatchObject({ code: 1, stdout: '' });
    expect(plain.stderr).toMatch(
      /^file-altered: test\/_acceptance\/run-1\/0002-bmc-access\.c2\.json was changed/,
    );
    expect(plain.stderr).toContain('changed is not verified.');
    const { stdout, code } = await run('evidence', 'verify', 'changed', '--key', 'public.pem', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ verified: false, problems: [{ kind: 'file-altered' }] });
  });

  it('that is not signed is not verified, and is exported with a warning', async () => {
    const verified = await run('evidence', 'verify', 'failed', '--key', 'public.pem');
    expect(verified).toMatchObject({ code: 1, stderr: expect.stringMatching(/^unsigned: /) as string });
    const { code, stderr } = await run('evidence', 'export', 'failed', '--out', 'other');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'unsigned: nobody can verify it.\n' });
  });

  it.each([
    [['run-1'], "required option '--key <file>' not specified"],
    [['run-1', '--key', 'gone.pem'], 'gone.pem cannot be read (ENOENT)'],
    [['run-1', '--key', 'private.pem'], 'holds a private key'],
    [['./gone', '--key', 'public.pem'], './gone is no folder'],
  ])('%j: exit 2', async (args, message) => {
    const { code, stderr } = await run('evidence', 'verify', ...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(pair.privatePem.split('\n')[1]);
    expect(code).toBe(2);
  });

  it('goes into no folder that is not empty: exit 2', async () => {
    await mkdir(path('full'));
    await writeFile(path('full', 'x'), '');
    const { code, stderr } = await run('evidence', 'export', 'run-1', '--out', 'full');
    expect(stderr).toContain('full is not empty');
    expect(code).toBe(2);
    expect(existsSync(path('full', 'acceptance.intoto.json'))).toBe(false);
  });
});

it('schema --report is the JSON Schema of the report', async () => {
  const { code, stdout } = await cli(['schema', '--report']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ title: 'Rackwright acceptance report', type: 'object' });
});
