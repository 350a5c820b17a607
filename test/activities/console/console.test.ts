import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { consoleTail } from '../../../activities/console/console.ts';
import { SecretSet } from '../../../activities/secrets/redact.ts';
import { Tokens } from '../../../activities/tokens/tokens.ts';
import type { Console } from '../../../contracts/inventory/console.ts';
import type { OperationRef } from '../../../core/operations.ts';

const REF: OperationRef = {
  site: 'lab',
  node: 'gpu-01',
  requestId: 'r1',
  kind: 'deploy',
  generation: 1,
  contractHash: 'c',
};
const WINDOW = { epoch: 1, expires: 4_000_000_000 };
const tokens = new Tokens(new Uint8Array(32).fill(7));

let dir: string;
let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rackwright-console-'));
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(dir, { recursive: true, force: true });
});

const read = (console: Console, secrets = new SecretSet()) =>
  consoleTail(console, {
    ref: REF,
    window: WINDOW,
    tokens,
    secrets,
    signal: new AbortController().signal,
    secret: async (reference) => (reference === 'env:CONSOLE' ? 'hunter2' : 'unknown'),
  });
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/logs/gpu-01.log`;
const file = (text: string | Uint8Array): Console => {
  const path = join(dir, 'console.log');
  writeFileSync(path, text);
  return { file: path };
};

describe('a file', () => {
  it('is read at its end, from the first whole line on', async () => {
    const text = Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join('\r\n');
    const { lines, writtenAt } = await read(file(text));
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([64, 'line 4936', 'line 4999']);
    expect(Math.abs(Date.parse(writtenAt!) - Date.now())).toBeLessThan(60_000);
    const long = `${'x'.repeat(70_000)}\nlast`;
    expect((await read(file(long))).lines).toEqual(['last']);
  });

  it.each([
    ['is not there', () => ({ file: join(dir, 'none') }), 'ENOENT'],
    ['is a folder', () => ({ file: dir }), 'it is not a file'],
    ['has no end', () => ({ file: '/dev/zero' }), 'it is not a file'],
    [
      'is a pipe that nobody writes to',
      () => {
        execFileSync('sh', ['-c', 'mkfifo "$0"', join(dir, 'pipe')]);
        return { file: join(dir, 'pipe') };
      },
      'it is not a file',
    ],
  ])('that %s is said to be so', async (_what, console, why) => {
    await expect(read(console())).rejects.toMatchObject({
      failure: { code: 'CONSOLE_UNREADABLE', message: expect.stringContaining(why) },
    });
  });
});

describe('a URL', () => {
  it('is asked for its end, with the credentials that it wants', async () => {
    const seen: { range?: string | undefined; authorization?: string | undefined }[] = [];
    answer = ({ headers }, response) => {
      seen.push({ range: headers.range, authorization: headers.authorization });
      response.writeHead(206, {
        'content-range': 'bytes 100-4104/4105',
        'last-modified': 'Sun, 01 Mar 2026 12:00:00 GMT',
      });
      response.end(`${'cut '.repeat(1_000)}\nlast`);
    };
    expect(await read({ url: url(), credentials: { username: 'reader', password: 'env:CONSOLE' } })).toEqual({
      lines: ['last'],
      writtenAt: '2026-03-01T12:00:00.000Z',
    });
    const authorization = `Basic ${Buffer.from('reader:hunter2').toString('base64')}`;
    expect(seen).toEqual([{ range: 'bytes=-65536', authorization }]);
  });

  it('is read whole where its server sends no ranges', async () => {
    answer = (_request, response) => response.end(`${'first\n'.repeat(10_000)}last`);
    const { lines } = await read({ url: url() });
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([64, 'first', 'last']);
  });

  it('of an empty log shows nothing', async () => {
    answer = (_request, response) => response.writeHead(416).end();
    expect((await read({ url: url() })).lines).toEqual([]);
  });

  it('that cannot be had is said to be so, without what it answered', async () => {
    answer = (_request, response) => response.writeHead(403).end('go away, hunter2');
    await expect(read({ url: url() })).rejects.toMatchObject({
      failure: {
        code: 'CONSOLE_UNREADABLE',
        message: 'The console could not be read: the server answered 403.',
      },
    });
    answer = (request) => request.socket.destroy();
    await expect(read({ url: url() })).rejects.toMatchObject({ failure: { code: 'CONSOLE_UNREADABLE' } });
    answer = (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    await expect(read({ url: url() })).rejects.toMatchObject({
      failure: { message: expect.stringContaining('answered 302') },
    });
  });
});

describe('what may never be kept of a console', () => {
  const signatures = (text: string): string => text.replaceAll(/\s/g, '');

  it('are the tokens of call-backs: of this boot or an earlier one, in a URL, alone, or broken over lines', async () => {
    for (const window of [WINDOW, { epoch: 7, expires: 3_000_000_000 }]) {
      const token = tokens.mint(REF, 'first-boot', window);
      const [, signature] = token.split('.');
      for (const columns of [10_000, 80, 33, 20]) {
        const wrapped = `curl -d @report http://10.0.0.1:8080/firstboot/${token}`.match(
          new RegExp(`.{1,${columns}}`, 'g'),
        )!;
        const text = `[   12.3] boot\n${wrapped.join('\r\n')}\r\nalone: ${token}\nend`;
        const { lines } = await read(file(text));
        expect(signatures(lines.join('')), `${columns} columns`).not.toContain(signature!);
        expect(lines.join('')).not.toContain(signature!.slice(0, 20));
        expect([lines[0], lines.at(-1)]).toEqual(['[ 12.3] boot', 'end']);
      }
    }
  });

  it('is a token that began before what is shown', async () => {
    const token = tokens.mint(REF, 'first-boot', WINDOW);
    const wrapped = token.match(/.{1,20}/g)!.join('\n');
    // Long lines, so that few are shown. The last 16 KiB begin in the middle of the token.
    const filler = `${'y'.repeat(299)}\n`;
    const rest = filler.repeat(55).slice(-(16_384 - Math.floor(wrapped.length / 2) - 1));
    const { lines } = await read(file(`start\n${wrapped}\n${rest}`));
    expect(lines.length).toBeLessThan(64);
    expect(signatures(lines.join(''))).not.toContain(token.split('.')[1]!);
  });

  it.each([
    ['characters of several bytes', '\u2588'],
    ['colours', '\u001b[1;31m'],
  ])('is the end of a token that began before what is read, also before %s', async (_what, filler) => {
    const token = tokens.mint(REF, 'first-boot', WINDOW);
    const lines = token.match(/.{1,20}/g)!;
    const behind = lines.slice(-4).join('\n');
    const unit = Buffer.byteLength(filler);
    const room = 65_536 - behind.length - 60 - 6;
    const text = `start\n${lines.join('\n')}\n${filler.repeat(Math.floor(room / unit))}${' '.repeat(60 + (room % unit))}\nlast\n`;
    const shown = (await read(file(text))).lines.join('');
    expect(lines.slice(-4).filter((line) => shown.includes(line))).toEqual([]);
  });

  it('is a token after something that begins like one', async () => {
    const wrapped = tokens
      .mint(REF, 'first-boot', WINDOW)
      .match(/.{1,20}/g)!
      .join('\n');
    expect((await read(file(`WyJ and then\n${wrapped}\nend`))).lines).toEqual(['WyJ and then', '…', 'end']);
  });

  it("is the agent's own token, and whatever this process knows as a secret", async () => {
    const agent = tokens.agentToken(REF, WINDOW.epoch);
    const secrets = new SecretSet(['correct horse battery']);
    const text = `agent ${agent}\nagent ${agent.slice(0, 20)}\n${agent.slice(20)}\npassword: correct horse battery\n`;
    const { lines } = await read(file(text), secrets);
    expect(lines).toEqual(['agent …', 'agent …', 'password: [redacted]']);
  });
});
