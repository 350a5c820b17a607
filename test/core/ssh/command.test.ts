import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { quoted, remoteCommand } from '../../../core/ssh/command.ts';

it.each([
  ['plain', "'plain'"],
  ['', "''"],
  ["it's", String.raw`'it'\''s'`],
  ['$(id) `id` "x" \\ ; & |', '\'$(id) `id` "x" \\ ; & |\''],
])('quotes %s', (word, expected) => {
  expect(quoted(word)).toBe(expected);
});

/** What a login shell makes of a command line, as long as the one who waits keeps its input open. */
function shell(line: string, input: string): Promise<{ stdout: string; code: number | null }> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', line], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    let stdout = '';
    child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
    child.once('close', (code) => resolve({ stdout, code }));
    child.stdin.on('error', () => undefined);
    child.stdin.write(input);
  });
}

it('any word comes out of a shell as it went in', async () => {
  const words = [
    "it's",
    "''",
    '$(id) `id` "$HOME" $1',
    '\\',
    'a\\nb',
    '*',
    '',
    '-n',
    '!!',
    'two\nlines',
    'ü€𐀀',
    '\t ',
  ];
  const line = remoteCommand(['printf', '[%s]', ...words], { inputBytes: 0, seconds: 60 });
  expect(await shell(line, '')).toEqual({ stdout: words.map((each) => `[${each}]`).join(''), code: 0 });
});

it('a command gets so many bytes of input and then its end, and its exit code comes out', async () => {
  const line = remoteCommand(['sh', '-c', 'cat; exit 9'], { inputBytes: 4, seconds: 60 });
  expect(await shell(line, 'four and more')).toEqual({ stdout: 'four', code: 9 });
});

it('what a command leaves behind is ended with it', async () => {
  const line = remoteCommand(['sh', '-c', 'sleep 300 & exit 3'], { inputBytes: 0, seconds: 60 });
  expect(await shell(line, '')).toEqual({ stdout: '', code: 3 });
});

it('a command that takes too long is ended by the host itself', async () => {
  const line = remoteCommand(['sleep', '300'], { inputBytes: 0, seconds: 1 });
  expect(await shell(line, '')).toEqual({ stdout: '', code: null });
});

it('a command that ends at once leaves nobody waiting', { timeout: 60_000 }, async () => {
  const line = remoteCommand(['true'], { inputBytes: 0, seconds: 600 });
  for (let times = 0; times < 50; times++) expect(await shell(line, '')).toEqual({ stdout: '', code: 0 });
});
