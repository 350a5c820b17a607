import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endProcess, freePort } from './peer.ts';

const run = promisify(execFile);
const SSHD = '/usr/sbin/sshd';
const READY_MS = 20_000;

/** OpenSSH's own server on loopback, which lets the user of the test in with one key. */
export interface SshdPeer {
  readonly port: number;
  readonly user: string;
  /** The file with the private key that is let in. */
  readonly keyFile: string;
  /** Type and key. */
  readonly hostKey: string;
  /** All that it logged. */
  log(): string;
  stop(): Promise<void>;
}

/** A key pair as ssh-keygen makes it. Answers the file of the private one. */
export async function keyPair(folder: string, name: string, passphrase = ''): Promise<string> {
  const file = join(folder, name);
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', name, '-f', file]);
  return file;
}

/** Type and key of a public key, without what it is called. */
export const publicKey = (file: string): string =>
  readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ').trim();

/** A line of a private key that its public one does not hold. */
export const privatePart = (file: string): string => readFileSync(file, 'utf8').split('\n')[4]!;

/**
 * @param changes lines of its configuration, which come before its own
 */
export async function startSshd(changes: readonly string[] = []): Promise<SshdPeer> {
  if (!existsSync(SSHD)) throw new Error(`there is no ${SSHD}: install openssh-server`);
  // Run by root, it wants the folder into which it shuts its helpers.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-sshd-'));
  const hostKeyFile = await keyPair(folder, 'host');
  const keyFile = await keyPair(folder, 'user');
  writeFileSync(join(folder, 'authorized_keys'), readFileSync(`${keyFile}.pub`), { mode: 0o600 });
  const port = await freePort();
  const config = join(folder, 'sshd_config');
  writeFileSync(
    config,
    [
      ...changes,
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKeyFile}`,
      `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`,
      'PidFile none',
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin prohibit-password',
      'AuthenticationMethods publickey',
      '',
    ].join('\n'),
  );
  const child = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (piece: Buffer) => (said += piece.toString()));
  process.once('exit', () => child.kill('SIGKILL'));
  await listening(port, child, () => said);
  return {
    port,
    user: userInfo().username,
    keyFile,
    hostKey: publicKey(hostKeyFile),
    log: () => said,
    async stop() {
      await endProcess(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listening(port: number, child: ChildProcess, said: () => string): Promise<void> {
  const ends = Date.now() + READY_MS;
  while (child.exitCode === null && Date.now() < ends) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await sleep(50);
  }
  throw new Error(`sshd does not listen: ${said()}`);
}
