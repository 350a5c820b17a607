import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knockWords, readKnocks } from '../../core/agent/knocks.ts';
import { runOn, type RunOptions, type RunResult, type SshHost } from '../../activities/ssh/run.ts';
import { freePort } from '../peers/peer.ts';
import { keyPair, privatePart, publicKey, startSshd, type SshdPeer } from '../peers/sshd.ts';

// Commands on a host, by OpenSSH's client, against OpenSSH's own server.

const home = mkdtempSync(join(tmpdir(), 'rackwright-ssh-e2e-'));
let sshd: SshdPeer;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(async () => {
  await sshd?.stop();
  await rm(home, { recursive: true, force: true });
});

const theHost = (changes: Partial<SshHost> = {}): SshHost => ({
  label: 'vantage point jump',
  host: '127.0.0.1',
  port: sshd.port,
  user: sshd.user,
  key: `file:${sshd.keyFile}`,
  hostKey: sshd.hostKey,
  ...changes,
});

const on = (host: SshHost, words: readonly string[], options: Partial<RunOptions> = {}): Promise<RunResult> =>
  runOn(host, words, {
    secret: async (reference) => readFileSync(reference.replace('file:', ''), 'utf8').trimEnd(),
    signal: new AbortController().signal,
    ...options,
  });

const failsWith = (code: string, faultDomain: string, message: RegExp) => ({
  failure: { code, faultDomain, message: expect.stringMatching(message) },
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

/** Command lines of the processes of this machine that hold a text. */
const processesWith = (text: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return [];
      }
    })
    .filter((line) => line.includes(text));

/** The command itself: the client's command line, which holds it too, does not begin with it. */
const running = (command: string): string[] =>
  processesWith(command).filter((line) => line.startsWith(command));

async function untilGone(text: string): Promise<void> {
  for (let tries = 0; running(text).length > 0; tries++) {
    if (tries > 200) throw new Error(`still there: ${running(text).join('; ')}`);
    await sleep(50);
  }
}
async function untilThere(text: string): Promise<void> {
  for (let tries = 0; running(text).length === 0; tries++) {
    if (tries > 200) throw new Error(`${text} does not run`);
    await sleep(50);
  }
}

/** Folders with this key that are there now: other test files have their own. */
const workspacesWith = (secret: string): string[] =>
  ['/dev/shm', tmpdir()].flatMap((base) =>
    readdirSync(base)
      .filter((name) => /^rackwright-ssh-(?!e2e)/.test(name))
      .map((name) => join(base, name))
      .filter((folder) => {
        try {
          return readFileSync(join(folder, 'key'), 'utf8').includes(secret);
        } catch {
          return false;
        }
      }),
  );

describe('a command', () => {
  it('says its output, its error output and its exit code, whatever its words hold', async () => {
    const odd = [`it's`, '$(id) `id` "$HOME"', String.raw`back\slash \n`, '*', '', '-n', 'two\nlines', 'ü'];
    const script = 'printf "[%s]" "$@"; echo gone wrong >&2; exit 7';
    expect(await on(theHost(), ['bash', '-c', script, 'bash', ...odd])).toEqual({
      stdout: odd.map((word) => `[${word}]`).join(''),
      stderr: 'gone wrong\n',
      exitCode: 7,
    });
  });

  it('reads its input to the end, and an exit code of 255 is its own', async () => {
    const input = 'a line\n'.repeat(3000);
    expect(await on(theHost(), ['bash', '-c', 'wc -c; exit 255'], { input })).toMatchObject({
      stdout: '21000\n',
      exitCode: 255,
    });
    expect(await on(theHost(), ['cat'])).toMatchObject({ stdout: '', exitCode: 0 });
  });

  it('that is not there ends with 127', async () => {
    expect(await on(theHost(), ['no-such-command'])).toMatchObject({ exitCode: 127 });
  });

  it('that never ends is ended, on the host too', async () => {
    await expect(on(theHost(), ['sleep', '86411'], { wholeMs: 3_000 })).rejects.toMatchObject(
      failsWith('SSH_COMMAND_TIMEOUT', 'control-host', /vantage point jump .*did not end in time/),
    );
    await untilGone('sleep 86411');
  });

  it('that says a gigabyte is ended as soon as it said too much', async () => {
    const words = ['head', '-c', '1073741824', '/dev/zero'];
    await expect(on(theHost(), words)).rejects.toMatchObject(
      failsWith('SSH_OUTPUT_TOO_LONG', 'control-host', /said more than 32768 bytes/),
    );
    await untilGone('head -c 1073741824');
  });

  it('is ended by an abort, with what it started', async () => {
    const stopping = new AbortController();
    const words = ['bash', '-c', 'sleep 86422 & sleep 86422; true'];
    const ran = on(theHost(), words, { signal: stopping.signal });
    const ended = expect(ran).rejects.toThrow('enough');
    await untilThere('sleep 86422');
    stopping.abort(new Error('enough'));
    await ended;
    await untilGone('sleep 86422');
  });

  it('that a signal ends has no exit code', async () => {
    await expect(on(theHost(), ['bash', '-c', 'kill -9 0'])).rejects.toMatchObject(
      failsWith('SSH_COMMAND_KILLED', 'control-host', /ended by a signal/),
    );
  });
});

describe('a key', () => {
  it('that the host does not have is not let in', async () => {
    const key = `file:${await keyPair(home, 'other')}`;
    await expect(on(theHost({ key }), ['true'])).rejects.toMatchObject(
      failsWith('SSH_AUTH_FAILED', 'control-host', /vantage point jump .*does not take the key/),
    );
  });

  it('that is none is told apart from one that is refused', async () => {
    await expect(on(theHost(), ['true'], { secret: async () => 'junk' })).rejects.toMatchObject(
      failsWith('SSH_KEY_UNUSABLE', 'contract', /cannot be read/),
    );
  });

  it('never stands on a command line or in an error, and its file is gone afterwards', async () => {
    const secret = privatePart(sshd.keyFile);
    const ran = on(theHost(), ['sleep', '86433'], { wholeMs: 3_000 });
    const error = ran.catch((caught: unknown) => caught);
    await untilThere('sleep 86433');
    const [workspace, ...more] = workspacesWith(secret);
    expect([workspace, more]).toEqual([expect.any(String), []]);
    expect(processesWith(secret)).toEqual([]);
    expect(JSON.stringify(await error)).not.toContain(secret.slice(0, 16));
    expect(existsSync(workspace!)).toBe(false);
    expect(workspacesWith(secret)).toEqual([]);
  });
});

describe('the key of the host', () => {
  it('is another than the pinned one: nothing is run', async () => {
    const hostKey = publicKey(await keyPair(home, 'imposter'));
    await expect(on(theHost({ hostKey }), ['touch', join(home, 'ran')])).rejects.toMatchObject(
      failsWith('SSH_HOST_KEY_MISMATCH', 'control-host', /another host key/),
    );
    expect(readdirSync(home)).not.toContain('ran');
  });

  it('is of another type than the pinned one: that is a mismatch too', async () => {
    const hostKey =
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg=';
    await expect(on(theHost({ hostKey }), ['true'])).rejects.toMatchObject(
      failsWith('SSH_HOST_KEY_MISMATCH', 'control-host', /another host key/),
    );
  });

  it('is neither pinned nor among the known hosts: nothing is run', async () => {
    await expect(on(theHost({ hostKey: undefined }), ['true'])).rejects.toMatchObject(
      failsWith('SSH_HOST_KEY_UNKNOWN', 'contract', /not known/),
    );
  });
});

describe('a host', () => {
  it('that does not listen refuses', async () => {
    await expect(on(theHost({ port: await freePort() }), ['true'])).rejects.toMatchObject(
      failsWith('SSH_REFUSED', 'control-host', /refuses/),
    );
  });

  it('that nobody knows by its name is not reached', async () => {
    await expect(on(theHost({ host: 'nobody.invalid' }), ['true'])).rejects.toMatchObject(
      failsWith('SSH_UNREACHABLE', 'management-network', /its name is not known/),
    );
  });

  it.each([
    ['never speaks', () => undefined],
    ['hangs up', (socket: { destroy(): void }) => socket.destroy()],
    ['speaks HTTP', (socket: { end(text: string): void }) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ] as const)('that accepts and %s is an error in bounded time', async (_how, answer) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      answer(socket);
    });
    const port = await listen(server);
    await expect(on(theHost({ port }), ['true'], { connectMs: 2_000 })).rejects.toMatchObject(
      failsWith('SSH_HANDSHAKE_FAILED', 'control-host', /does not speak SSH/),
    );
    server.close();
  });
});

/** What SSH lets either side say at any time, for the log of the other (RFC 4253, sections 6 and 11.3). */
function debugMessage(text: string): Buffer {
  const payload = Buffer.alloc(10 + text.length);
  payload[0] = 4;
  payload.writeUInt32BE(text.length, 2);
  payload.write(text, 6);
  const padding = 8 - ((5 + payload.length) % 8) + 8;
  const head = Buffer.alloc(5);
  head.writeUInt32BE(1 + payload.length + padding);
  head[4] = padding;
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}

it('a host that fills the log of its connection is told from one that is silent', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.resume();
    socket.write('SSH-2.0-loud\r\n');
    // Eight times as much as is kept.
    const message = debugMessage('x'.repeat(900));
    socket.end(Buffer.concat(Array.from({ length: 9_000 }, () => message)));
  });
  const port = await listen(server);
  await expect(on(theHost({ port }), ['true'])).rejects.toMatchObject(
    failsWith('SSH_OUTPUT_TOO_LONG', 'control-host', /fills the log of its connection/),
  );
  server.close();
});

/** A port at which nothing answers, as behind a firewall: its queue is full, and nobody takes from it. */
const FULL = `
import socket, sys
server = socket.socket()
server.bind(('127.0.0.1', 0))
server.listen(0)
waiting = []
for _ in range(4):
    waiting.append(socket.socket())
    waiting[-1].setblocking(False)
    waiting[-1].connect_ex(server.getsockname())
print(server.getsockname()[1], flush=True)
sys.stdin.read()
`;

describe('connections from a vantage point', () => {
  const knockAt = async (endpoints: readonly { address: string; port: number }[]) =>
    readKnocks(await on(theHost(), knockWords(endpoints, 2)), endpoints);

  it('are open, refused, or have no route, each told of its own', async () => {
    const server = createServer((socket) => socket.end());
    const open = { address: '127.0.0.1', port: await listen(server) };
    const refused = { address: '127.65.0.9', port: await freePort() };
    const strange = { address: '$(touch /tmp/x);', port: 1 };
    const knocked = await knockAt([open, refused]);
    expect(knocked).toMatchObject({
      own: expect.arrayContaining(['127.0.0.1']),
      knocks: [
        { ...open, outcome: 'open' },
        { ...refused, outcome: 'refused' },
      ],
    });
    expect(await knockAt([strange])).toEqual({ unusable: expect.stringContaining('does not say') });
    const nameless = { address: 'nobody.invalid', port: 22 };
    expect(await knockAt([nameless])).toMatchObject({ knocks: [{ ...nameless, outcome: 'ENOTFOUND' }] });
    server.close();
  });

  it('to what does not accept are silent', async () => {
    const child = spawn('python3', ['-c', FULL], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    expect(await knockAt([{ address: '127.0.0.1', port: Number(said) }])).toMatchObject({
      knocks: [{ outcome: 'silent' }],
    });
    child.kill('SIGKILL');
  });
});
