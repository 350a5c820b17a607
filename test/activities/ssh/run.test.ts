import {
  chmodSync,
  chownSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { runOn, type SshHost } from '../../../activities/ssh/run.ts';
import { withWorkspace } from '../../../activities/ssh/workspace.ts';

const empty = mkdtempSync(join(tmpdir(), 'rackwright-no-ssh-'));
afterAll(() => rm(empty, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

const HOST: SshHost = {
  label: 'vantage point jump',
  host: '127.0.0.1',
  port: 1,
  user: 'nobody',
  key: 'env:KEY',
  hostKey: undefined,
};

it('a worker without an ssh program says so', async () => {
  vi.stubEnv('PATH', empty);
  const { signal } = new AbortController();
  await expect(runOn(HOST, ['true'], { secret: async () => 'key', signal })).rejects.toMatchObject({
    failure: { code: 'SSH_PROGRAM_MISSING', faultDomain: 'orchestrator' },
  });
});

it('what is aborted before it begins resolves no key', async () => {
  const secret = vi.fn(async () => 'key');
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(runOn(HOST, ['true'], { secret, signal })).rejects.toThrow('enough');
  expect(secret).not.toHaveBeenCalled();
});

it('a key lies in a file of its own as OpenSSH wants it, for as long as it is used', async () => {
  const used = await withWorkspace({ key: 'one\r\ntwo', hostKey: 'ssh-ed25519 AAAA' }, async (workspace) => {
    const folder = dirname(workspace.keyFile);
    expect([statSync(folder).mode & 0o777, statSync(workspace.keyFile).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readFileSync(workspace.keyFile, 'utf8')).toBe('one\ntwo\n');
    expect(readFileSync(workspace.knownHostsFile, 'utf8')).toBe('pinned-by-the-contract ssh-ed25519 AAAA\n');
    return folder;
  });
  expect(existsSync(used)).toBe(false);
  const failing = withWorkspace({ key: 'key', hostKey: undefined }, async ({ keyFile }) => {
    throw new Error(dirname(keyFile));
  });
  const failed = (await failing.catch((error: unknown) => error)) as Error;
  expect(failed.message).toContain('rackwright-ssh-');
  expect(existsSync(failed.message)).toBe(false);
});

it('what a killed worker left is removed by the next, an hour later', async () => {
  const beside = await withWorkspace({ key: 'key', hostKey: undefined }, async ({ keyFile }) =>
    dirname(dirname(keyFile)),
  );
  const [old, young] = ['old', 'young'].map((name) => join(beside, `rackwright-ssh-${name}-${process.pid}`));
  for (const folder of [old!, young!]) mkdirSync(folder, { mode: 0o700 });
  const longAgo = Date.now() / 1000 - 3700;
  utimesSync(old!, longAgo, longAgo);
  await withWorkspace({ key: 'key', hostKey: undefined }, async () => undefined);
  expect([existsSync(old!), existsSync(young!)]).toEqual([false, true]);
  await rm(young!, { recursive: true });
});

it('what lies there by that name and is none of its own is left alone', async () => {
  const beside = await withWorkspace({ key: 'key', hostKey: undefined }, async ({ keyFile }) =>
    dirname(dirname(keyFile)),
  );
  const path = (name: string): string => join(beside, `rackwright-ssh-${name}-${process.pid}`);
  const longAgo = Date.now() / 1000 - 3700;
  const theirs = ['open', 'file', 'link', ...(process.getuid?.() === 0 ? ['other'] : [])].map(path);
  for (const name of ['open', 'other']) mkdirSync(path(name), { mode: 0o700 });
  chmodSync(path('open'), 0o755);
  if (process.getuid?.() === 0) chownSync(path('other'), 65_534, 65_534);
  writeFileSync(path('file'), '', { mode: 0o600 });
  symlinkSync(empty, path('link'));
  for (const each of theirs) lutimesSync(each, longAgo, longAgo);
  utimesSync(empty, longAgo, longAgo);
  await withWorkspace({ key: 'key', hostKey: undefined }, async () => undefined);
  const left = readdirSync(beside).map((name) => join(beside, name));
  await Promise.all([...theirs, path('other')].map((each) => rm(each, { recursive: true, force: true })));
  expect(left).toEqual(expect.arrayContaining(theirs));
});

/** A program that stands for OpenSSH's client: its log's file is in `$log`. */
function sshThat(does: string): void {
  const folder = mkdtempSync(join(empty, 'programs-'));
  const find = 'for each; do test "$before" = -E && log=$each; before=$each; done';
  writeFileSync(join(folder, 'ssh'), `#!/bin/sh\n${find}\n${does}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
}
const run = (): Promise<unknown> =>
  runOn(HOST, ['true'], { secret: async () => 'key', signal: new AbortController().signal });

it('a log that the host fills is bounded, and no verdict is read from it', async () => {
  const size = join(empty, 'size');
  sshThat(
    `head -c 8388608 /dev/zero >>"$log" 2>/dev/null; echo "debug1: Exit status 0" >>"$log"; stat -c %s "$log" >${size}`,
  );
  await expect(run()).rejects.toMatchObject({
    failure: {
      code: 'SSH_OUTPUT_TOO_LONG',
      message: expect.stringContaining('fills the log of its connection, 1048576 bytes'),
    },
  });
  expect(readFileSync(size, 'utf8')).toBe('1048576\n');
});

it('an ssh that ends with 127 and has written its log is there', async () => {
  sshThat('echo "debug1: Exit status 127" >"$log"; exit 127');
  expect(await run()).toMatchObject({ exitCode: 127 });
});
