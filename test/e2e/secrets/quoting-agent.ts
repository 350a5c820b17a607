import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanSteps } from '../../../lab/agent/erase.ts';
import { heartbeat, lookupOnce, type Conductor } from '../../../lab/agent/conductor.ts';
import { hardwareInfo } from '../../../lab/agent/hardware-info.ts';
import { selfSigned } from '../../../lab/certificates.ts';
import type { Hardware } from '../../../lab/hardware.ts';

/** How the agent lets the image down: by refusing the command, or by failing it. */
export type Quoting = 'refuses the command' | 'refuses the config drive' | 'fails the command';

/** What it was sent: its token, and the config drive. */
export interface Sent {
  readonly token: string;
  readonly drive: string;
}

/** A deploy agent that quotes what it was sent when it does not write an image. */
export interface QuotingAgent {
  readonly sent: Promise<Sent>;
  close(): Promise<void>;
}

const MINOR = 68;

/** Starts one in the place of the agent that the node was booted into, and calls its conductor. */
export async function quotingAgent(
  apiUrl: string,
  hardware: Hardware,
  quoting: Quoting,
): Promise<QuotingAgent> {
  const identity = await selfSigned('127.0.0.1');
  const commands: object[] = [];
  let told: (sent: Sent) => void = () => undefined;
  const sent = new Promise<Sent>((resolve) => (told = resolve));
  const results: { readonly [name: string]: unknown } = {
    'poll.get_hardware_info': hardwareInfo(hardware, '127.0.0.1'),
    'clean.get_clean_steps': cleanSteps(),
  };
  const server = createServer(identity, async (request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const refuse = (faultstring: string): void => answer(400, { faultcode: 'Client', faultstring });
    const url = new URL(request.url ?? '/', 'https://agent');
    if (request.method !== 'POST') {
      return answer(200, url.pathname.startsWith('/v1/commands') ? { commands } : { version: 'quoting' });
    }
    const { name, params } = (await json(request)) as { name: string; params: Record<string, unknown> };
    const command = { id: `c-${commands.length}`, command_name: name.split('.')[1], command_error: null };
    if (name !== 'standby.prepare_image') {
      commands.push({ ...command, command_status: 'SUCCEEDED', command_result: results[name] ?? {} });
      return answer(200, commands.at(-1));
    }
    const drive = String(params['configdrive']);
    told({ token: url.searchParams.get('agent_token') ?? '', drive });
    const quoted = `${request.url} ${JSON.stringify(params)}`;
    if (quoting === 'refuses the command') return refuse(quoted);
    if (quoting === 'refuses the config drive') return refuse(drive);
    const error = { type: 'ImageWriteError', code: 500, message: `${drive} ${quoted}`, details: quoted };
    commands.push({ ...command, command_status: 'FAILED', command_error: error, command_result: null });
    answer(200, commands.at(-1));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const over = new AbortController();
  const conductor: Conductor = {
    apiUrl,
    pause: (ms) => sleep(ms),
    signal: over.signal,
    log: () => undefined,
  };
  const { found, status } = await lookupOnce(
    conductor,
    MINOR,
    hardware.nics.map(({ mac }) => mac),
    null,
  );
  if (found === undefined) throw new Error(`the conductor answers ${status} to the lookup`);
  const beat = await heartbeat(conductor, MINOR, found.node.uuid, {
    callback_url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    agent_token: String(found.config.agent_token),
    agent_verify_ca: identity.cert,
  });
  if (!beat.accepted) throw new Error(`the conductor answers ${beat.status} to the heartbeat`);
  return {
    sent,
    async close() {
      over.abort();
      await new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
    },
  };
}
