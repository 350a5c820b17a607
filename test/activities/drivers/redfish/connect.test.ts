import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../../../activities/drivers/redfish/connect.ts';
import type { StepContext } from '../../../../activities/drivers/driver.ts';
import { closeAllBmcs } from '../../../../activities/redfish/transport.ts';

let locked = true;
let logins = 0;
let roots = 0;
const ROOT = '/redfish/v1';
const answers: { [path: string]: object } = {
  [ROOT]: {
    Systems: { '@odata.id': `${ROOT}/Systems` },
    SessionService: { '@odata.id': `${ROOT}/SessionService` },
    Links: { Sessions: { '@odata.id': `${ROOT}/SessionService/Sessions` } },
  },
  [`${ROOT}/Systems`]: { Members: [{ '@odata.id': `${ROOT}/Systems/1` }] },
  [`${ROOT}/Systems/1`]: { '@odata.id': `${ROOT}/Systems/1`, Id: '1', PowerState: 'Off' },
};

/** A BMC whose account is locked until someone unlocks it. */
const server = createServer((request, response) => {
  const path = request.url!.replace(/\/$/, '');
  if (path === ROOT) roots += 1;
  if (request.method === 'POST') {
    logins += 1;
    response.writeHead(locked ? 401 : 201, { 'x-auth-token': 'token', location: `${path}/1` });
    return response.end('{}');
  }
  response.writeHead(answers[path] ? 200 : 404, { 'content-type': 'application/json' });
  return response.end(JSON.stringify(answers[path] ?? {}));
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  await closeAllBmcs();
  await new Promise((resolve) => server.close(resolve));
});

const attempt = (number: number): Promise<unknown> => {
  const bmc = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { username: 'admin', password: 'env:PASSWORD' },
    tls: 'insecure',
    auth: 'session',
    timeouts: { connect: 5, request: 5 },
  };
  const context = {
    node: { name: 'n1', bmc },
    input: { ref: { kind: 'enroll' }, args: {} },
    secret: async () => 'right',
    signal: new AbortController().signal,
  };
  const environment = new MockActivityEnvironment({ attempt: number });
  return environment.run(() => connect(context as unknown as StepContext));
};
const code = { failure: { code: 'BMC_AUTH_FAILED' } };

it('logs in once per time that someone asks, so that a repaired account is found and none is locked', async () => {
  await expect(attempt(1)).rejects.toMatchObject(code);
  await expect(attempt(2)).rejects.toMatchObject(code);
  await expect(attempt(3)).rejects.toMatchObject(code);
  expect(logins).toBe(1);
  locked = false;
  await expect(attempt(2)).rejects.toMatchObject(code);
  expect(logins).toBe(1);
  await expect(attempt(1)).resolves.toMatchObject({ data: { power: 'off' } });
  expect(logins).toBe(2);
});

it('reads anew what the service is, whatever an earlier step has read', async () => {
  const before = roots;
  await attempt(1);
  await attempt(1);
  expect(roots - before).toBe(2);
});
