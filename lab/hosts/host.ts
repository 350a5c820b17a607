import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { writeAtomic } from '../store.ts';
import { Commands } from './commands.ts';
import { SshHostServer } from './ssh-server.ts';
import { writeTools } from './tools.ts';

const USER = 'operator';

export interface HostParts {
  readonly name: string;
  /** What its tools answer with now, by the names of their variables. */
  answers(hostKey: string): { readonly [variable: string]: string };
  /** Whether it lets in nobody now. @default it never does */
  refuses?(): boolean;
}

/** A host that is logged in to. */
export interface Host {
  /** An SSH server of it; one for each address. */
  server(): SshHostServer;
  /** What the contract says of how it is logged in to. */
  ssh(host: string, port: number): object;
}

/** What all hosts of a lab share: the key that is let in, the tools, and the commands that run. */
export function hostsIn(dir: string): { host(parts: HostParts): Host; endCommands(): void } {
  const home = join(dir, 'hosts');
  const path = writeTools(join(home, 'bin'));
  const userKey = keyPair(join(dir, 'secrets', 'host-user'));
  const commands = new Commands();
  return {
    host({ name, answers, refuses = () => false }) {
      const key = keyPair(join(dir, 'secrets', `host-${name}`));
      return {
        server: () =>
          new SshHostServer({
            user: USER,
            hostKey: key.secret,
            userKey: userKey.shown,
            refuses,
            exec: (channel, command) =>
              commands.run(channel, command, { PATH: path, HOME: home, USER, ...answers(key.shown) }),
          }),
        ssh: (host, port) => ({
          host,
          port,
          user: USER,
          key: `file:${userKey.file}`,
          hostKey: key.shown,
        }),
      };
    },
    endCommands: () => commands.endAll(),
  };
}

/** A key that is made once: its secret half as OpenSSH reads it, and type and key of the other. */
function keyPair(file: string): { readonly file: string; readonly secret: string; readonly shown: string } {
  if (!existsSync(file)) writeAtomic(file, newKey());
  const secret = readFileSync(file, 'utf8');
  return { file, secret, shown: shownKey(secret) };
}

/** Node's own: of the Ed25519 keys that ssh2 1.17 makes it cannot read one in 400 itself. */
export const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'sec1', format: 'pem' })
    .toString();

/** Type and key of the public half. */
export function shownKey(secret: string): string {
  const parsed = ssh2.utils.parseKey(secret);
  if (parsed instanceof Error) throw parsed;
  return `${parsed.type} ${parsed.getPublicSSH().toString('base64')}`;
}
