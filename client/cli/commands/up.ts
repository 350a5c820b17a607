import type { Command } from 'commander';
import { fail } from '../../../core/errors/failure.ts';
import type { Up, UpPorts } from '../../up/up.ts';
import { Context } from '../context.ts';

interface UpFlags {
  readonly lab?: boolean;
  readonly servers?: string;
  readonly labSpeed?: string;
  readonly controlPlane?: boolean;
  readonly openstack?: boolean;
  readonly temporalPort?: string;
  readonly uiPort?: string;
  readonly gatewayPort?: string;
  readonly portBase?: string;
  readonly gatewayHost: string;
}

const DEFAULT_PORTS: UpPorts = { temporal: 7233, ui: 8233, gateway: 8300 };

/** `rackwright up`: everything on this machine, until Ctrl-C. */
export function addUpCommand(program: Command): void {
  program
    .command('up')
    .description('start Temporal, a worker and the gateway here, and keep them alive until Ctrl-C')
    .option('--lab', 'start or join the lab, and use its inventory')
    .option('--servers <count>', 'how many servers the lab has (default: 50)')
    .option('--lab-speed <factor>', 'how many times faster than real hardware the lab is')
    .option('--control-plane', 'the lab has controllers and a Kubernetes, too')
    .option('--openstack', 'the lab has an OpenStack, too, and with it a control plane')
    .option('--temporal-port <port>', `of Temporal (default: ${DEFAULT_PORTS.temporal}; 0: any free one)`)
    .option('--ui-port <port>', `of Temporal's Web UI (default: ${DEFAULT_PORTS.ui})`)
    .option('--gateway-port <port>', `of the gateway (default: ${DEFAULT_PORTS.gateway})`)
    .option(
      '--port-base <port>',
      'Temporal on this port, its Web UI and the gateway on the two after it; 0: free ones',
    )
    .option('--gateway-host <address>', 'where the gateway listens', '127.0.0.1')
    .action(async (flags: UpFlags, command: Command) => {
      try {
        await run(new Context(command), flags);
      } finally {
        // An open channel would keep the process alive.
        if (process.connected) process.disconnect();
      }
    });
}

async function run(context: Context, flags: UpFlags): Promise<void> {
  const { io, options } = context;
  const inventory = options.inventory ?? process.env['RACKWRIGHT_INVENTORY'];
  if (flags.lab !== true && inventory === undefined) {
    throw fail('INVALID_MESSAGE', 'up needs --inventory FILE, or --lab.');
  }
  if (flags.lab === true && options.inventory !== undefined) {
    throw fail('INVALID_MESSAGE', '--lab brings its own inventory: give one of --lab and --inventory.');
  }
  const { stopped, hasStopped } = whenStopped();
  const { up } = await import('../../up/up.ts');
  const system = await up({
    dataDir: options.dataDir,
    inventory,
    lab: flags.lab
      ? {
          servers: flags.servers,
          speed: flags.labSpeed,
          controlPlane: flags.controlPlane,
          openstack: flags.openstack,
        }
      : undefined,
    ports: portsOf(flags),
    gatewayHost: flags.gatewayHost,
    address: options.address,
    namespace: options.namespace,
    allowExec: options.allowExec === true,
    note: (line) => io.note(line),
  });
  if (!hasStopped())
    io.answer({ ready: true, ...system.running, labUrl: system.labUrl }, () => [readyLine(system)]);
  try {
    await Promise.race([stopped, system.ended]);
  } finally {
    io.note('stopping …');
    await system.stop();
  }
}

/** A terminal and a wrapper (npm, npx) both pass Ctrl-C on: that is one, not two. */
const ONE_SIGNAL_MS = 1000;

/** When someone wants an end: by a signal, or because whoever started us over a channel is gone. */
function whenStopped(): { stopped: Promise<void>; hasStopped: () => boolean } {
  let at: number | undefined;
  const stopped = new Promise<void>((resolve) => {
    const stop = (): void => {
      // Asked again there is no more patience; the next `up` ends what is left.
      if (at !== undefined && Date.now() - at > ONE_SIGNAL_MS) process.exit(130);
      at ??= Date.now();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    if (process.connected) process.once('disconnect', resolve);
  });
  return { stopped, hasStopped: () => at !== undefined };
}

function readyLine({ running, nodes, labUrl }: Up): string {
  const { site, uiUrl, temporalAddress, gatewayUrl } = running;
  return [
    `ready site=${site} nodes=${nodes}`,
    ...(uiUrl === null ? [] : [`ui=${uiUrl}`]),
    `temporal=${temporalAddress}`,
    `gateway=${gatewayUrl}`,
    ...(labUrl === null ? [] : [`lab=${labUrl}`]),
  ].join(' ');
}

function portsOf(flags: UpFlags): UpPorts {
  const base = flags.portBase === undefined ? undefined : port('port-base', flags.portBase);
  const nth = (name: string, given: string | undefined, offset: number, fallback: number): number => {
    if (given !== undefined) return port(name, given);
    if (base === undefined) return fallback;
    return base === 0 ? 0 : base + offset;
  };
  return {
    temporal: nth('temporal-port', flags.temporalPort, 0, DEFAULT_PORTS.temporal),
    ui: nth('ui-port', flags.uiPort, 1, DEFAULT_PORTS.ui),
    gateway: nth('gateway-port', flags.gatewayPort, 2, DEFAULT_PORTS.gateway),
  };
}

function port(name: string, given: string): number {
  const value = Number(given);
  if (/^\d+$/.test(given) && value <= 65_533) return value;
  throw fail('INVALID_MESSAGE', `${name} must be a port, or 0 for any free one.`);
}
