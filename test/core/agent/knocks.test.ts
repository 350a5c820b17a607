import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { knockWords, readKnocks } from '../../../core/agent/knocks.ts';

const A = { address: '10.0.0.7', port: 22 };
const B = { address: 'fd00::7', port: 443 };

const read = (stdout: string, endpoints = [A], exitCode = 0) => readKnocks({ stdout, exitCode }, endpoints);

it('gives seconds, addresses and ports as words of their own', () => {
  expect(knockWords([A, B], 5).slice(3)).toEqual(['bash', '5', '10.0.0.7', '22', 'fd00::7', '443']);
});

// As bash 5.2 and timeout of coreutils 9.1 say it.
const bash = (why: string) => `10.0.0.7: connect: ${why} 10.0.0.7: line 1: /dev/tcp/10.0.0.7/22: ${why}`;
it.each([
  ['0', 'open'],
  ['124', 'silent'],
  ['143', 'silent'],
  [`1 ${bash('Connection refused')}`, 'refused'],
  [`1 ${bash('Connection timed out')}`, 'silent'],
  [`1 ${bash('No route to host')}`, 'EHOSTUNREACH'],
  [`1 ${bash('Network is unreachable')}`, 'ENETUNREACH'],
  [`1 ${bash('Operation not permitted')}`, 'EACCES'],
  [`1 ${bash('Invalid argument')}`, 'EADDRNOTAVAIL'],
  [`1 ${bash('Too many open files')}`, 'EMFILE'],
  [`1 ${bash('Protocol error')}`, 'failed'],
  ['', 'failed'],
])('reads "%s" as %s', (said, outcome) => {
  expect(read(`own 10.0.0.1\nknock 10.0.0.7 22 ${said}\nend\n`)).toEqual({
    own: ['10.0.0.1'],
    knocks: [{ ...A, outcome }],
  });
});

// Of a name that it finds no address for, bash says that an argument is invalid.
it.each([
  'Temporary failure in name resolution',
  'Name or service not known',
  'Name does not resolve',
  'Unknown',
])('a name of which bash says "%s" is no connection that went wrong', (why) => {
  const said = `c9: ${why} c9: line 1: /dev/tcp/c9/22: Invalid argument`;
  expect(read(`own\nknock c9 22 1 ${said}\n`, [{ address: 'c9', port: 22 }])).toMatchObject({
    knocks: [{ outcome: 'ENOTFOUND' }],
  });
});

// 124: its own time is over, too. 127: the host has no getent.
it.each([
  [2, 'ENOTFOUND'],
  [124, 'ENOTFOUND'],
  [0, 'silent'],
  [127, 'silent'],
])('a connection whose time is over, of whose name getent says %i, is %s', (getent, outcome) => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-knocks-'));
  const program = (name: string, does: string): void =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${does}\n`, { mode: 0o755 });
  program('timeout', 'shift; case $1 in bash) exit 124;; esac; exec "$@"');
  program('getent', `exit ${getent}`);
  const [bash, ...words] = knockWords([A], 5);
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const stdout = execFileSync(bash!, words, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  rmSync(folder, { recursive: true });
  expect(read(stdout)).toMatchObject({ knocks: [{ ...A, outcome }] });
});

it('takes answers in any order, between other lines', () => {
  const said =
    'Welcome!\r\nown \r\nknock fd00::7 443 124\r\nbash: warning: setlocale\r\nknock 10.0.0.7 22 0\r\n';
  expect(read(said, [A, B])).toEqual({
    own: [],
    knocks: [
      { ...A, outcome: 'open' },
      { ...B, outcome: 'silent' },
    ],
  });
});

it.each([
  ['sh: 1: bash: not found', 127, /no bash/],
  ['lacks timeout\n', 0, /no `timeout`/],
  ['own 10.0.0.1\nend\n', 0, /does not say how 10\.0\.0\.7:22 went/],
  ['knock 10.0.0.7 2222 0\nknock 10.0.0.77 22 0\n', 0, /does not say/],
  ['This account is currently not available.\n', 1, /does not say/],
  [
    'knock 10.0.0.7 22 1 10.0.0.7: line 1: /dev/tcp/10.0.0.7/22: No such file or directory\n',
    0,
    /opens no connections/,
  ],
])('takes "%s" for no answer', (stdout, exitCode, why) => {
  expect(read(stdout, [A], exitCode)).toEqual({ unusable: expect.stringMatching(why) });
});
