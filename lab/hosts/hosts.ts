import { join } from 'node:path';
import { faults, type Faults, type FaultValues } from '../faults.ts';
import { controllers, VICTIM } from '../kubernetes/objects.ts';
import { Listening } from '../listening.ts';
import { eventLog, saved } from '../store.ts';
import { hostsIn } from './host.ts';
import { answersOf, baselineOf, newMachines, type Machine } from './machines.ts';
import { HOST_SWITCHES } from './switches.ts';

interface HostsFile {
  machines: Machine[];
  faults: FaultValues;
}

/** What a host has to reach. */
export interface Reached {
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
  const shared = hostsIn(dir);
  let port = 0;
  const switches = faults(
    {
      read: () => file.value.faults,
      write(values) {
        file.value.faults = values;
        file.save();
        // Where its port was taken meanwhile, it stays down, as it would anywhere.
        listening.follow().catch(() => log.append('ssh-not-listening'));
      },
    },
    (fault) => log.append('fault-fired', { fault }),
    HOST_SWITCHES,
  );
  const hosts = controllers().map(({ name, address }, i) => {
    const on = (fault: string): boolean => name === VICTIM.node && switches.on(fault);
    const host = shared.host({
      name,
      refuses: () => on('sshKeyRefused'),
      answers: (key) => answersOf(i, file.value.machines, key, on),
    });
    return { address, host, server: host.server(), on };
  });
  const listening = new Listening(
    hosts.map(({ address, server, on }) => ({
      wanted: () => !on('sshDown'),
      open: () => server.listen(address, port),
      close: () => server.close(),
    })),
  );
  return {
    faults: switches,
    async listen(at) {
      port = at;
      await listening.start();
      return {
        close() {
          shared.endCommands();
          return listening.stop();
        },
      };
    },
    contract: (reaches) => ({
      controllers: hosts.map(({ address, host }, i) => ({
        ...baselineOf(i),
        ssh: host.ssh(address, port),
        reaches,
      })),
    }),
  };
}
