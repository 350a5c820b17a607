import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AgentClient } from '../../../activities/agent/client.ts';
import { doOnce, run } from '../../../activities/agent/work.ts';
import { selfSigned, type Identity } from '../../../lab/certificates.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let identity: Identity;
let other: Identity;
let server: Server | undefined;
beforeAll(async () => {
  [identity, other] = [await selfSigned('127.0.0.1'), await selfSigned('127.0.0.1')];
});
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)));
  server = undefined;
});

interface Options {
  readonly certificate?: string;
  readonly signal?: AbortSignal;
  readonly requestMs?: number;
}

/** An agent whose answers are given; returns a client that trusts `certificate`. */
async function agent(
  handler: Handler,
  { certificate = identity.cert, signal, requestMs = 20_000 }: Options = {},
): Promise<AgentClient> {
  server = createServer({ cert: identity.cert, key: identity.key }, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => handler(request, response, body));
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const contact = { callbackUrl: `https://127.0.0.1:${port}`, certificate, version: '13.0.0' };
  return new AgentClient({ contact, token: 'the-token', signal, requestMs });
}

const json =
  (status: number, body: unknown): Handler =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const code = (code: string) => ({ failure: { code } });

describe('the client of an agent', () => {
  it('asks status without the token and commands with it, on a connection of its own each', async () => {
    const urls: string[] = [];
    const ports = new Set<number | undefined>();
    const client = await agent((request, response) => {
      urls.push(request.url!);
      ports.add(request.socket.remotePort);
      json(200, { version: '13.0.0', commands: [] })(request, response, '');
    });
    expect((await client.status()).version).toBe('13.0.0');
    expect(await client.commands()).toEqual([]);
    expect(urls).toEqual(['/v1/status', '/v1/commands/?agent_token=the-token']);
    expect(ports.size).toBe(2);
  });

  it('sends nothing to what shows another certificate', async () => {
    let asked = 0;
    const client = await agent(
      (request, response, body) => {
        asked += 1;
        json(200, {})(request, response, body);
      },
      { certificate: other.cert },
    );
    await expect(client.commands()).rejects.toMatchObject(code('AGENT_UNTRUSTED'));
    expect(asked).toBe(0);
  });

  it.each([
    [401, 'AGENT_REFUSED_TOKEN'],
    [409, 'AGENT_BUSY'],
    [400, 'AGENT_REFUSED'],
    [404, 'AGENT_REFUSED'],
    [500, 'AGENT_ANSWER_INVALID'],
    [308, 'AGENT_ANSWER_INVALID'],
  ])('takes %i for %s, with what the agent says', async (status, expected) => {
    const client = await agent(json(status, { faultstring: 'what it says' }));
    const error = await client.start('standby.sync', {}).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject(code(expected));
    expect((error as Error).message).toContain('what it says');
    expect((error as Error).message).not.toContain('the-token');
  });

  it.each([
    ['no JSON', (_q: IncomingMessage, response: ServerResponse) => void response.end('<html>')],
    ['too much', (_q: IncomingMessage, response: ServerResponse) => void response.end('x'.repeat(9 << 20))],
  ])('refuses an answer that is %s', async (_what, handler) => {
    const client = await agent(handler);
    await expect(client.command('c1')).rejects.toMatchObject(code('AGENT_ANSWER_INVALID'));
  });

  it('gives up on an agent that does not answer, and says when to look again', async () => {
    const silent = await agent(() => undefined, { requestMs: 300 });
    await expect(silent.status()).rejects.toMatchObject({ ...code('AGENT_UNREACHABLE'), retryAfterMs: 3000 });
    server!.closeAllConnections();
    server!.close();
    await expect(silent.status()).rejects.toMatchObject(code('AGENT_UNREACHABLE'));
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const client = await agent(() => stop.abort(new Error('stopped')), { signal: stop.signal });
    await expect(client.status()).rejects.toThrow('stopped');
  });
});

/** An agent with commands: the first POST starts one; each GET of it counts down to its end. */
async function worker(end: 'SUCCEEDED' | 'FAILED', looks: number, listed: object[] = []) {
  let posts = 0;
  let left = looks;
  const shown = () => ({
    id: 'c1',
    command_name: 'prepare_image',
    command_status: left > 0 ? 'RUNNING' : end,
    command_error: left > 0 || end === 'SUCCEEDED' ? null : { type: 'ImageChecksumError', message: 'm' },
    command_result: { result: 'image (i-1) written to device /dev/sda' },
  });
  const client = await agent((request, response, body) => {
    if (request.method === 'POST') posts += 1;
    const one = request.url!.startsWith('/v1/commands/c1');
    if (one) left -= 1;
    const answer = one || request.method === 'POST' ? shown() : { commands: posts > 0 ? [shown()] : listed };
    json(200, answer)(request, response, body);
  });
  const work = (attempt: number, lookMs = 20_000) =>
    doOnce(
      client,
      {
        command: 'standby.prepare_image',
        isOurs: (command) => JSON.stringify(command.result).includes('i-1'),
        params: async () => ({}),
        what: 'Writing',
        attempt,
      },
      () => Promise.resolve(),
      { lookMs, pollMs: 1 },
    );
  return { client, work, posts: () => posts };
}

describe('work that must not be done twice', () => {
  it('is sent once and watched to its end', async () => {
    const { work, posts } = await worker('SUCCEEDED', 3);
    expect((await work(1)).status).toBe('succeeded');
    expect((await work(1)).status).toBe('succeeded');
    expect((await work(2)).status).toBe('succeeded');
    expect(posts()).toBe(1);
  });

  it('is "not yet" while it runs, and adopted by the next attempt', async () => {
    const { work, posts } = await worker('SUCCEEDED', 100_000);
    for (const attempt of [1, 2]) {
      await expect(work(attempt, 50)).rejects.toMatchObject({
        failure: { code: 'AGENT_COMMAND_RUNNING', retryable: true },
        retryAfterMs: 5000,
      });
    }
    expect(posts()).toBe(1);
  });

  it('that failed is told once to the run that sent it, and sent again by a later run', async () => {
    const { work, posts } = await worker('FAILED', 0);
    await expect(work(1)).rejects.toMatchObject(code('IMAGE_CHECKSUM_MISMATCH'));
    await expect(work(2)).rejects.toMatchObject(code('IMAGE_CHECKSUM_MISMATCH'));
    expect(posts()).toBe(1);
    await expect(work(1)).rejects.toMatchObject(code('IMAGE_CHECKSUM_MISMATCH'));
    expect(posts()).toBe(2);
  });

  it('of another kind, or for another image, is not adopted', async () => {
    const { work, posts } = await worker('SUCCEEDED', 0, [
      {
        id: 'c0',
        command_name: 'prepare_image',
        command_status: 'SUCCEEDED',
        command_result: { result: 'i-0' },
      },
    ]);
    await work(1);
    expect(posts()).toBe(1);
  });

  it('short commands give their result', async () => {
    const { client } = await worker('SUCCEEDED', 0);
    expect(await run(client, 'standby.sync')).toEqual({ result: 'image (i-1) written to device /dev/sda' });
  });
});
