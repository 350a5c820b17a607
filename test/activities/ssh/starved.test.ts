import type * as childProcess from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { runOn } from '../../../activities/ssh/run.ts';

// What Node gives where the machine has no file descriptor left for the pipes: a process without streams, whose
// error comes on the next turn, and which never closes.
vi.mock('node:child_process', async (original) => {
  const { ChildProcess, ...rest } = await original<typeof childProcess>();
  const spawn = (): childProcess.ChildProcess => {
    const child = new ChildProcess();
    process.nextTick(() => child.emit('error', Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })));
    return child;
  };
  return { ...rest, ChildProcess, spawn };
});

it('a worker without a file descriptor for it says so, and lives on', async () => {
  const host = { label: 'h', host: '127.0.0.1', port: 1, user: 'u', key: 'env:KEY', hostKey: undefined };
  const { signal } = new AbortController();
  await expect(runOn(host, ['true'], { secret: async () => 'key', signal })).rejects.toThrow('spawn EMFILE');
});
