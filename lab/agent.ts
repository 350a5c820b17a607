import { timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { agentApi, isQuick } from './agent/api.ts';
import { installBootloader } from './agent/boot-loader.ts';
import { commands, type Command } from './agent/commands.ts';
import {
  apiMinor,
  FALLBACK_MINOR,
  heartbeat,
  lookup,
  lookupOnce,
  minorOf,
  type Conductor,
} from './agent/conductor.ts';
import { deploySteps, executeDeployStep } from './agent/deploy.ts';
import { cleanSteps, executeCleanStep } from './agent/erase.ts';
import { hardwareInfo } from './agent/hardware-info.ts';
import type { AgentMemory, AgentOptions } from './agent/options.ts';
import { prepareImage } from './agent/write-image.ts';
import { selfSigned } from './certificates.ts';

export { parseParameters, type AgentMemory, type AgentOptions } from './agent/options.ts';

const HIDDEN = '******';
const HEARTBEAT_PAUSE_MS = 5000;

/** A deploy agent that runs. */
export interface RunningAgent {
  readonly callbackUrl: string;
  /** Takes its power away. */
  stop(): Promise<void>;
  /** Resolves when the agent gave up, was locked down, or was stopped. */
  readonly ended: Promise<'stopped' | 'gave-up' | 'locked-down' | 'silent'>;
}

/**
 * Starts a deploy agent that speaks ironic-python-agent's protocol: it looks its node up, sends
 * heartbeats, and serves the command API over HTTPS with a certificate of its own. What it does to
 * disks goes into the given store. Resolves when its API listens.
 */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const host = options.advertiseHost ?? '127.0.0.1';
  const log = options.log ?? (() => {});
  const stopping = new AbortController();
  const { signal } = stopping;
  const conductor: Conductor = { apiUrl: options.apiUrl, pause: options.pause, signal, log };
  const macs = options.hardware.nics.map((nic) => nic.mac);

  const memory: AgentMemory = options.ramdisk?.load() ?? {
    ...(await selfSigned(host)),
    port: 0,
    token: options.agentToken ?? null,
    uuid: null,
    node: null,
    lockedDown: false,
    commands: [],
  };
  const save = (): void => options.ramdisk?.save(memory);
  let asked = 0;
  /** Which of its ports the agent sees when it asks: all of them, unless they come up late. */
  const portsUp = (): readonly string[] => {
    if (!options.faults?.take('agentPortsLate')) return macs;
    asked += 1;
    return asked === 1 ? [] : ['56:00:00:00:00:01', ...macs.slice(0, asked - 2)];
  };
  let known = minorOf(options.apiVersion ?? '');
  /** Asked again as long as nobody tells it. */
  const minor = async (): Promise<number> => (known ??= await apiMinor(conductor)) ?? FALLBACK_MINOR;
  let [hurry, hurried] = wake();
  let stopApi = async (): Promise<void> => {};

  const rootHints = async (): Promise<Record<string, unknown> | undefined> => {
    if (hintsOf(memory.node) === undefined) {
      const again = await lookupOnce(conductor, await minor(), macs, memory.uuid);
      memory.node = again.found?.node ?? memory.node;
    }
    return hintsOf(memory.node);
  };
  const keepNode = (node: unknown): void => {
    if (typeof node === 'object' && node !== null) memory.node = node as Record<string, unknown>;
  };
  const run = table(options, signal, { rootHints, keepNode, die: () => stopApi() });
  const queue = commands(run, memory.commands, (asynchronousEnded) => {
    save();
    if (asynchronousEnded) hurry();
  });
  const tokenIs = (token: unknown): boolean =>
    typeof token === 'string' && memory.token !== null && sameText(token, memory.token);
  const app = agentApi(memory, tokenIs, queue);
  await app.listen({ host, port: memory.port });
  stopApi = async () => {
    stopping.abort();
    await app.close();
  };
  memory.port = (app.server.address() as { port: number }).port;
  save();
  const callbackUrl = `https://${host}:${memory.port}`;

  const live = async (): Promise<'gave-up' | 'locked-down' | 'silent'> => {
    if (options.faults?.take('agentSilent')) return 'silent';
    if (memory.lockedDown) return 'locked-down';
    const found = await lookup(conductor, await minor(), portsUp);
    if (found === undefined) return 'gave-up';
    const given = found.config.agent_token;
    if (memory.token === null && (given === undefined || given === HIDDEN || given.length < 32)) {
      memory.lockedDown = true;
      save();
      return 'locked-down';
    }
    memory.node ??= found.node;
    memory.uuid = found.node.uuid;
    if (given !== undefined && given !== HIDDEN && given.length >= 32) memory.token = given;
    save();
    log('agent-looked-up', { node: memory.uuid });
    queue.resume();
    let lastStatus: number | null | undefined;
    for (;;) {
      const sent = await heartbeat(conductor, await minor(), memory.uuid, {
        callback_url: callbackUrl,
        agent_token: memory.token!,
        agent_verify_ca: memory.cert,
      });
      if (sent.status !== lastStatus) log('agent-heartbeat', sent);
      lastStatus = sent.status;
      if (!sent.accepted) {
        await options.pause(HEARTBEAT_PAUSE_MS * (1 + Math.random()), signal);
        continue;
      }
      await options.pause(HEARTBEAT_PAUSE_MS, signal);
      await Promise.race([beat(found.config.heartbeat_timeout, signal), hurried]);
      [hurry, hurried] = wake();
    }
  };
  const ended = live()
    .catch((error: unknown) => {
      if (signal.aborted) return 'stopped' as const;
      log('agent-crashed', { reason: String(error) });
      return 'gave-up' as const;
    })
    .then((end) => {
      if (end !== 'stopped') log('agent-ended', { end });
      return end;
    });
  log('agent-started', { callbackUrl, resumed: memory.token !== null });
  return { callbackUrl, ended, stop: () => stopApi() };
}

function wake(): [() => void, Promise<void>] {
  const { promise, resolve } = withResolvers();
  return [resolve, promise];
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** The time to the next heartbeat. It is the conductor's to say, so the speed of the lab does not change it. */
async function beat(timeoutSeconds: number, signal: AbortSignal): Promise<void> {
  const wait = timeoutSeconds * 1000 * (0.3 + 0.3 * Math.random());
  await new Promise<void>((done, stop) => {
    const timer = setTimeout(done, wait);
    signal.addEventListener('abort', () => (clearTimeout(timer), stop(signal.reason as Error)), {
      once: true,
    });
  });
}

function hintsOf(node: Record<string, unknown> | null): Record<string, unknown> | undefined {
  for (const key of ['instance_info', 'properties']) {
    const hints = (node?.[key] as Record<string, unknown> | undefined)?.['root_device'];
    if (typeof hints === 'object' && hints !== null) return hints as Record<string, unknown>;
  }
  return undefined;
}

const sameText = (a: string, b: string): boolean =>
  Buffer.byteLength(a) === Buffer.byteLength(b) && timingSafeEqual(Buffer.from(a), Buffer.from(b));

interface AgentInside {
  rootHints(): Promise<Record<string, unknown> | undefined>;
  /** Commands that name a node make the agent forget the one it had. */
  keepNode(node: unknown): void;
  die(): Promise<void>;
}

/** The commands of the agent. */
function table(
  options: AgentOptions,
  signal: AbortSignal,
  { rootHints, keepNode, die }: AgentInside,
): Record<string, Command> {
  const shutDown = (then: () => void) => async () => {
    void options.pause(500, signal).then(then, () => {});
    return 'None';
  };
  const run: Record<string, Command['run']> = {
    'poll.get_hardware_info': async () =>
      hardwareInfo(
        options.look?.() ?? options.hardware,
        options.advertiseHost ?? '127.0.0.1',
        options.collectLldp,
      ),
    'standby.prepare_image': async (params) => {
      if (options.faults?.take('agentDies')) {
        await sleep(200);
        options.log?.('agent-died');
        void die();
        signal.throwIfAborted();
      }
      return prepareImage(options, signal, await rootHints(), params);
    },
    'standby.get_partition_uuids': async () => ({ 'root uuid': '0x00000000' }),
    'standby.sync': async () => 'None',
    'standby.power_off': shutDown(options.onPowerOff),
    'standby.run_image': shutDown(options.onReboot),
    'image.install_bootloader': async (params) =>
      installBootloader(options, signal, await rootHints(), params),
    'clean.get_clean_steps': async ({ node }) => {
      keepNode(node);
      return cleanSteps(options);
    },
    'clean.execute_clean_step': (params) => {
      keepNode(params['node']);
      return executeCleanStep(options, signal, params);
    },
    'deploy.get_deploy_steps': async ({ node }) => {
      keepNode(node);
      return deploySteps(options);
    },
    'deploy.execute_deploy_step': (params) => {
      keepNode(params['node']);
      return executeDeployStep(options, signal, rootHints, params);
    },
    'log.collect_system_logs': async () => ({
      system_logs: gzipSync(`agent of ${options.hardware.name}\n`).toString('base64'),
    }),
  };
  return Object.fromEntries(
    Object.entries(run).map(([name, body]) => [name, { asynchronous: !isQuick(name), run: body }]),
  );
}
