import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nodeUuid } from '../../../activities/agent/identity.ts';
import { selfSigned } from '../../../lab/certificates.ts';
import { codeOf, MACS, refOf, startGateway, WINDOW, type Gateway, type NodeName } from './fixture.ts';

let gateway: Gateway;
let certificate: string;

beforeAll(async () => {
  certificate = (await selfSigned('127.0.0.1')).cert;
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.operations.start('gpu-01');
  gateway.operations.start('gpu-02');
  gateway.operations.heartbeats.length = 0;
  gateway.operations.lookups.length = 0;
});

const agentToken = (node: string): string => gateway.tokens.agentToken(refOf(node), WINDOW.epoch);

const lookup = (token: string, query: string): Promise<Response> =>
  fetch(`${gateway.url}/agent/${token}/v1/lookup?${query}`);

const lookupOf = (node: NodeName): Promise<Response> =>
  lookup(gateway.token(node, 'agent'), `addresses=${MACS[node]}`);

const heartbeat = (node: string, change: Record<string, unknown> = {}): Promise<Response> =>
  fetch(`${gateway.url}/agent/${gateway.token(node, 'agent')}/v1/heartbeat/${nodeUuid('lab', node)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      callback_url: 'https://127.0.0.1:9999',
      agent_token: agentToken(node),
      agent_version: '13.0.0',
      agent_verify_ca: certificate,
      ...change,
    }),
  });

describe('the version document', () => {
  it('is at the root and below v1', async () => {
    for (const path of ['/', '/v1/', '/v1']) {
      const answer = await fetch(`${gateway.url}/agent/${gateway.token('gpu-01', 'agent')}${path}`);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ default_version: { version: '1.95' } });
    }
  });
});

describe('lookup', () => {
  it('tells the node, its root device hints and the token of this boot', async () => {
    const answer = await lookupOf('gpu-01');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      node: {
        uuid: nodeUuid('lab', 'gpu-01'),
        properties: { root_device: { serial: 's== S1', size: '>= 100' } },
        instance_info: {},
        driver_internal_info: {},
      },
      config: { heartbeat_timeout: 60, agent_token: agentToken('gpu-01') },
    });
    expect(gateway.operations.lookups).toEqual([{ epoch: 1, macs: [MACS['gpu-01']] }]);
  });

  it('tells the same token again until the first heartbeat, and hides it afterwards', async () => {
    const told = async (): Promise<string> =>
      ((await (await lookupOf('gpu-01')).json()) as { config: { agent_token: string } }).config.agent_token;
    expect(await told()).toBe(agentToken('gpu-01'));
    expect(await told()).toBe(agentToken('gpu-01'));
    expect((await heartbeat('gpu-01')).status).toBe(202);
    gateway.operations.lookups.length = 0;
    expect(await told()).toBe('******');
    expect(gateway.operations.lookups).toEqual([]);
  });

  it('refuses a machine that has ports of another node, whatever else it has', async () => {
    for (const macs of [MACS['gpu-02'], `52:54:00:99:99:99,${MACS['gpu-02']}`]) {
      const answer = await lookup(gateway.token('gpu-01', 'agent'), `addresses=${macs}`);
      expect([answer.status, await codeOf(answer)]).toEqual([404, 'AGENT_WRONG_NODE']);
    }
    expect(gateway.operations.lookups).toEqual([]);
  });

  it('tells a machine without a port that anybody knows to ask again', async () => {
    for (const query of ['addresses=', '', 'addresses=52:54:00:99:99:99']) {
      const answer = await lookup(gateway.token('gpu-01', 'agent'), query);
      expect([answer.status, await codeOf(answer)]).toEqual([503, 'AGENT_PORTS_UNKNOWN']);
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    expect(gateway.operations.lookups).toEqual([]);
  });

  it('finds the node by one of many addresses, however they are written', async () => {
    const mac = MACS['gpu-01'].toUpperCase().replaceAll(':', '-');
    const answer = await lookup(gateway.token('gpu-01', 'agent'), `addresses=aa:bb:cc:00:00:01,${mac}`);
    expect(answer.status).toBe(200);
  });

  it('refuses a lookup for another node', async () => {
    const other = await lookup(
      gateway.token('gpu-01', 'agent'),
      `addresses=${MACS['gpu-01']}&node_uuid=${nodeUuid('lab', 'gpu-02')}`,
    );
    expect(other.status).toBe(404);
  });
});

describe('tokens', () => {
  const status = async (token: string): Promise<[number, string]> => {
    const answer = await lookup(token, `addresses=${MACS['gpu-01']}`);
    return [answer.status, await codeOf(answer)];
  };

  it('of another audience, another key or another site are refused', async () => {
    const good = gateway.token('gpu-01', 'agent');
    expect(await status(gateway.token('gpu-01', 'media'))).toEqual([403, 'TOKEN_INVALID']);
    expect(await status(`${good.slice(0, -2)}xx`)).toEqual([403, 'TOKEN_INVALID']);
    expect(await status('nonsense')).toEqual([403, 'TOKEN_INVALID']);
    const foreign = gateway.tokens.mint({ ...refOf('gpu-01'), site: 'other' }, 'agent', WINDOW);
    expect(await status(foreign)).toEqual([403, 'TOKEN_INVALID']);
  });

  it('that have expired, or are of an earlier boot, generation or operation, are gone', async () => {
    const mint = (ref: object, window: object): string =>
      gateway.tokens.mint({ ...refOf('gpu-01'), ...ref }, 'agent', { ...WINDOW, ...window });
    expect(await status(mint({}, { expires: 1 }))).toEqual([410, 'TOKEN_EXPIRED']);
    expect(await status(mint({}, { epoch: 0 }))).toEqual([410, 'TOKEN_EXPIRED']);
    expect(await status(mint({ generation: 2 }, {}))).toEqual([410, 'TOKEN_EXPIRED']);
    expect(await status(mint({ requestId: 'earlier' }, {}))).toEqual([410, 'OPERATION_OVER']);
  });

  it('are answered 503 while no worker can be asked', async () => {
    gateway.operations.down = true;
    try {
      const answer = await lookupOf('gpu-01');
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('5');
    } finally {
      gateway.operations.down = false;
    }
  });
});

describe('heartbeat', () => {
  it('brings callback URL and certificate to the operation once', async () => {
    for (let i = 0; i < 3; i += 1) expect((await heartbeat('gpu-01')).status).toBe(202);
    expect(gateway.operations.heartbeats).toMatchObject([
      { epoch: 1, callbackUrl: 'https://127.0.0.1:9999', version: '13.0.0' },
    ]);
    expect(gateway.operations.heartbeats[0]!.certificate).toContain('BEGIN CERTIFICATE');
  });

  it('with another token is not heard', async () => {
    for (const agent_token of ['******', agentToken('gpu-02'), `${agentToken('gpu-01')}x`]) {
      const answer = await heartbeat('gpu-01', { agent_token });
      expect([answer.status, await codeOf(answer)]).toEqual([401, 'AGENT_TOKEN_WRONG']);
    }
    expect(gateway.operations.heartbeats).toEqual([]);
  });

  it.each([
    ['http://127.0.0.1:9999', 'not https'],
    ['https://127.0.0.2:9999', 'not where it came from'],
    ['https://192.0.2.1:9999', 'on no provisioning network'],
    ['https://localhost:9999', 'a name'],
    ['https://user:word@127.0.0.1:9999', 'credentials'],
    ['https://127.0.0.1:9999/v1/x', 'a path'],
    ['nonsense', 'no URL'],
  ])('with the callback URL %s is refused: %s', async (callback_url) => {
    const answer = await heartbeat('gpu-01', { callback_url });
    expect([answer.status, await codeOf(answer)]).toEqual([403, 'CALLBACK_REFUSED']);
    expect(gateway.operations.heartbeats).toEqual([]);
  });

  it('that names another callback URL or certificate than the first one is refused', async () => {
    expect((await heartbeat('gpu-01')).status).toBe(202);
    const moved = await heartbeat('gpu-01', { callback_url: 'https://127.0.0.1:9998' });
    expect([moved.status, await codeOf(moved)]).toEqual([403, 'AGENT_CHANGED']);
    const agent_verify_ca = (await selfSigned('127.0.0.1')).cert;
    const other = await heartbeat('gpu-01', { agent_verify_ca });
    expect([other.status, await codeOf(other)]).toEqual([403, 'AGENT_CHANGED']);
    expect(gateway.operations.heartbeats).toHaveLength(1);
  });

  it('without a certificate, or with more than one, cannot be read', async () => {
    for (const agent_verify_ca of [undefined, 'x', `${certificate}${certificate}`]) {
      expect((await heartbeat('gpu-01', { agent_verify_ca })).status).toBe(400);
    }
  });

  it('for the UUID of another node is refused', async () => {
    const answer = await fetch(
      `${gateway.url}/agent/${gateway.token('gpu-01', 'agent')}/v1/heartbeat/${nodeUuid('lab', 'gpu-02')}`,
      { method: 'POST', body: '{}' },
    );
    expect(answer.status).toBe(404);
  });

  it('after the end of the operation is gone, and that is audited without the token', async () => {
    gateway.operations.end('gpu-02');
    const answer = await heartbeat('gpu-02');
    expect([answer.status, await codeOf(answer)]).toEqual([410, 'OPERATION_OVER']);
    const audit = gateway
      .logged()
      .split('\n')
      .find((line) => line.includes('OPERATION_OVER') && line.includes('gpu-02'));
    expect(audit).toContain('deploy-gpu-02');
    expect(audit).toContain('/agent/…/v1/heartbeat/');
  });
});

it('writes no token into any line of the log', async () => {
  await lookupOf('gpu-01');
  await fetch(`${gateway.url}/agent/${gateway.token('gpu-01', 'agent')}/nowhere?agent_token=secret`);
  await fetch(`${gateway.url}//agent/${gateway.token('gpu-01', 'agent')}/`);
  await fetch(`${gateway.url}/firstboot/${gateway.token('gpu-01', 'first-boot')}`);
  const signature = (token: string): string => token.split('.')[1]!;
  for (const audience of ['agent', 'media', 'image', 'first-boot'] as const) {
    expect(gateway.logged()).not.toContain(signature(gateway.token('gpu-01', audience)));
  }
  expect(gateway.logged()).not.toContain(agentToken('gpu-01'));
  expect(gateway.logged()).not.toContain('agent_token=');
  expect(gateway.logged()).toContain('/agent/…/nowhere');
});

it('limits how often one token may ask, and no other', async () => {
  const limited = await startGateway({ deps: { rate: { perSecond: 0.001, burst: 3 } } });
  try {
    const ask = async (node: NodeName): Promise<Response> =>
      fetch(`${limited.url}/agent/${limited.token(node, 'agent')}/v1/`);
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await ask('gpu-01')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await ask('gpu-02')).status).toBe(200);
  } finally {
    await limited.close();
  }
});

it('lets agents behind NAT through only where the contract says so', async () => {
  const nat = await startGateway({
    inventory: (plain) => {
      plain['networks'] = { provisioning: { cidr: '10.9.0.0/24', kind: 'provisioning', nat: true } };
    },
  });
  try {
    const answer = await fetch(
      `${nat.url}/agent/${nat.token('gpu-01', 'agent')}/v1/heartbeat/${nodeUuid('lab', 'gpu-01')}`,
      {
        method: 'POST',
        body: JSON.stringify({
          callback_url: 'https://10.9.0.7:9999',
          agent_token: agentToken('gpu-01'),
          agent_verify_ca: certificate,
        }),
      },
    );
    expect(answer.status).toBe(202);
  } finally {
    await nat.close();
  }
});
