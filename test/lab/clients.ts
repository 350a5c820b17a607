import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

type Options = { headers?: Record<string, string>; dispatcher?: Agent; timeoutMs?: number };

export async function call(
  method: string,
  url: string,
  body?: unknown,
  options: Options = {},
): Promise<Reply> {
  const answer = await request(url, {
    method: method as 'GET',
    ...(options.dispatcher ? { dispatcher: options.dispatcher } : {}),
    signal: AbortSignal.timeout(options.timeoutMs ?? 30_000),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // not JSON: the text it is
  }
  return { status: answer.statusCode, headers: answer.headers, body: parsed };
}

/** Talks to the command API of an agent, trusting its own certificate only. */
export function agentClient(heartbeat: Record<string, unknown>, token: string) {
  const dispatcher = new Agent({ connect: { ca: String(heartbeat['agent_verify_ca']) }, pipelining: 0 });
  const url = String(heartbeat['callback_url']);
  return {
    get: (path: string) => call('GET', `${url}${path}`, undefined, { dispatcher }),
    command: (name: string, params: unknown, wait = true) =>
      call('POST', `${url}/v1/commands/?wait=${wait}&agent_token=${token}`, { name, params }, { dispatcher }),
  };
}

/** Talks Redfish to a BMC of the lab, trusting the lab's authority. */
export function bmcClient(dataDir: string, address: string) {
  const dispatcher = new Agent({ connect: { ca: readFileSync(join(dataDir, 'ca.pem'), 'utf8') } });
  const password = readFileSync(join(dataDir, 'secrets', 'bmc-password'), 'utf8');
  const basic = { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` };
  const ask =
    (method: string) =>
    (path: string, body?: unknown, options: Options = {}): Promise<Reply> =>
      call(method, `${address}${path}`, body, { dispatcher, headers: basic, ...options });
  return {
    dispatcher,
    password,
    get: ask('GET'),
    post: ask('POST'),
    patch: ask('PATCH'),
    delete: ask('DELETE'),
  };
}
