import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { faults, type Faults, type FaultValues } from '../faults.ts';
import { controllers, VICTIM } from '../kubernetes/objects.ts';
import { eventLog, saved, writeAtomic } from '../store.ts';
import { Commands } from './commands.ts';
import { answersOf, baselineOf, newMachines, type Machine } from './machines.ts';
import { SshHostServer } from './ssh-server.ts';
import { HOST_SWITCHES } from './switches.ts';
import { writeTools } from './tools.ts';

const USER = 'operator';

interface HostsFile {
  machines: Machine[];
  faults: FaultValues;
}

/** What a host has to reach. */
interface Reached {
  readonly host: string;
  readonly port: number;
}

/** The hosts of the lab's control plane, which are logged in to, each at its address and all at one port. */
export interface LabHosts {
  readonly faults: Faults;
  listen(port: number): Promise<{ close(): Promise<void> }>;
  /** The part of the contract that is about them; `reaches`: what each of them has to reach. */
  contract(reaches: readonly Reached[]): { readonly controllers: readonly object[] };
}

/** Makes hosts, or goes on with those that are in the folder. */
export function labHosts(dir: string): LabHosts {
  const folder = join(dir, 'hosts');
  const file = saved<HostsFile>(join(folder, 'state.json'), () => ({ machines: newMachines(), faults: {} }));
  const log = eventLog(join(folder, 'log.jsonl'));
  const path = writeTools(join(folder, 'bin'));
  const userKey = keyPair(join(dir, 'secrets', 'host-user'));
  const commands = new Commands();
  let port: number | undefined;
  const switches = faults(
    {
      read: () => file.value.faults,
      write(values) {
        file.value.faults = values;
        file.save();
        // Where its port was taken meanwhile, it stays down, as it would anywhere.
        if (port !== undefined) follow().catch(() => log.append('ssh-not-listening'));
      },
    },
    (fault) => log.append('fault-fired', { fault }),
    HOST_SWITCHES,
  );
  const hosts = controllers().map(({ name, address }, i) => {
    const key = keyPair(join(dir, 'secrets', `host-${name}`));
    const on = (fault: string): boolean => name === VICTIM.node && switches.on(fault);
    const server = new SshHostServer({
      user: USER,
      hostKey: key.secret,
      userKey: userKey.shown,
      refuses: () => on('sshKeyRefused'),
      exec: (channel, command) =>
        commands.run(channel, command, {
          PATH: path,
          HOME: folder,
          USER,
          ...answersOf(i, file.value.machines, key.shown, on),
        }),
    });
    return { address, key, server, on, listens: false };
  });
  /** Lets those listen that are to, and no others. One change after the other. */
  let last = Promise.resolve();
  const follow = (): Promise<void> =>
    (last = last
      .catch(() => undefined)
      .then(async () => {
        for (const host of hosts) {
          const wanted = port !== undefined && !host.on('sshDown');
          if (wanted === host.listens) continue;
          if (wanted) await host.server.listen(host.address, port!);
          else await host.server.close();
          host.listens = wanted;
        }
      }));
  return {
    faults: switches,
    async listen(at) {
      port = at;
      const close = async (): Promise<void> => {
        port = undefined;
        commands.endAll();
        await last.catch(() => undefined);
        await Promise.all(hosts.map(({ server }) => server.close()));
        for (const host of hosts) host.listens = false;
        last = Promise.resolve();
      };
      try {
        await follow();
      } catch (error) {
        await close();
        throw error;
      }
      return { close };
    },
    contract: (reaches) => ({
      controllers: hosts.map(({ address, key }, i) => ({
        ...baselineOf(i),
        ssh: { host: address, port, user: USER, key: `file:${userKey.file}`, hostKey: key.shown },
        reaches,
      })),
    }),
  };
}

/** A key that is made once: its secret half as OpenSSH writes it, and type and key of the other. */
function keyPair(file: string): { readonly file: string; readonly secret: string; readonly shown: string } {
  if (!existsSync(file)) writeAtomic(file, ssh2.utils.generateKeyPairSync('ed25519').private);
  const secret = readFileSync(file, 'utf8');
  const parsed = ssh2.utils.parseKey(secret);
  if (parsed instanceof Error) throw parsed;
  return { file, secret, shown: `${parsed.type} ${parsed.getPublicSSH().toString('base64')}` };
}
