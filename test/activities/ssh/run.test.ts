import { existsSync, mkdirSync, mkdtempSync, statSync, readFileSync, utimesSync } from 'node:fs';
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
  for (const folder of [old!, young!]) mkdirSync(folder);
  const longAgo = Date.now() / 1000 - 3700;
  utimesSync(old!, longAgo, longAgo);
  await withWorkspace({ key: 'key', hostKey: undefined }, async () => undefined);
  expect([existsSync(old!), existsSync(young!)]).toEqual([false, true]);
  await rm(young!, { recursive: true });
});
