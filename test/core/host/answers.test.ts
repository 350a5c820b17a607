import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answered, answeredJson, hostScript, readAnswers } from '../../../core/host/answers.ts';

const QUESTIONS = {
  words: 'printf "%s|" "$@"',
  nothing: 'true',
  gone: 'no-such-program 2>/dev/null',
  wrong: 'echo "two"; echo "lines"; exit 3',
  input: 'cat',
};
const ask = (script: string, ...args: string[]): string =>
  execFileSync('sh', ['-c', script, 'sh', ...args], { input: 'never read\n', encoding: 'utf8' });

it('a script asks one question after the other, each with its exit code, and none reads what is not its own', () => {
  const said = ask(hostScript(QUESTIONS), 'a b', "it's");
  expect(readAnswers(said, QUESTIONS)).toEqual({
    words: { text: "a b|it's|", exit: 0 },
    nothing: { text: '', exit: 0 },
    gone: { text: '', exit: 127 },
    wrong: { text: 'two\nlines', exit: 3 },
    input: { text: '', exit: 0 },
  });
});

it('what a login shell prints before it is of no account', () => {
  const said = `Welcome to c1!\r\n@@ a\r\n42\r\n\r\n@@= 0\r\n@@end\r\n`;
  expect(readAnswers(said, { a: '' })).toEqual({ a: { text: '42', exit: 0 } });
});

it.each([
  ['', /nothing of a/],
  ['@@ a\n42\n', /nothing of a/],
  ['@@ a\n42\n\n@@= 0\n', /last line is missing/],
])('an answer that breaks off, %j, is an error', (said, message) => {
  expect(() => readAnswers(said, { a: '' })).toThrow(message);
});

it('a program that is not there, or says something else, is an error that names it', () => {
  const answers = { ip: { text: '', exit: 127 }, lsblk: { text: 'lsblk: unknown column', exit: 1 } };
  expect(() => answered(answers, 'ip', 'ip')).toThrow('It has no `ip`');
  expect(() => answeredJson(answers, 'lsblk', 'lsblk')).toThrow(/exit code 1\): lsblk: unknown column/);
  expect(answeredJson({ ip: { text: '[{"a":1}]', exit: 0 } }, 'ip', 'ip')).toEqual([{ a: 1 }]);
});

it('what root runs ends by itself, where the host has timeout', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-answers-'));
  const program = (name: string, does: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${does}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  const said = (): string => {
    const script = hostScript({ root: 'as_root cat /etc/x "a b"' });
    const options = { env: { PATH: folder }, encoding: 'utf8' } as const;
    return readAnswers(execFileSync('/bin/sh', ['-c', script], options), { root: '' })['root']!.text;
  };
  program('id', 'echo 1000');
  program('sudo', String.raw`printf '%s|' "$@"`);
  expect(said()).toBe('-n|true|-n|cat|/etc/x|a b|');
  program('timeout', 'exit 0');
  expect(said()).toBe('-n|true|-n|timeout|-k|5|40|cat|/etc/x|a b|');
  rmSync(folder, { recursive: true });
});
