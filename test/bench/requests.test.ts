import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { changesServer, countRequests, isRead, kindOf, tally, type Asked } from '../../bench/requests.ts';
import { bySteps, comparison } from '../../bench/tables.ts';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function listening(): Promise<number> {
  const server = createServer((_, response) => response.writeHead(500).end());
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

const asked = (text: string): Asked => {
  const [method = '', path = ''] = text.split(' ');
  return { method, path: `/redfish/v1${path}` };
};

it('counts the requests to one port, refused ones too', async () => {
  const [port, other] = [await listening(), await listening()];
  const counted = countRequests(port);
  await fetch(`http://127.0.0.1:${port}/redfish/v1/`);
  await fetch(`http://127.0.0.1:${other}/redfish/v1/`);
  await fetch(`http://127.0.0.1:${port}/redfish/v1/Systems/1?x=/`, { method: 'PATCH' });
  expect(counted.take()).toEqual([asked('GET '), asked('PATCH /Systems/1')]);
  expect(counted.take()).toEqual([]);
  counted.stop();
  await fetch(`http://127.0.0.1:${port}/redfish/v1/`);
  expect(counted.take()).toEqual([]);
});

it.each([
  ['GET ', 'service root', false],
  ['GET /Systems/1', 'system', false],
  ['GET /Systems/1/VirtualMedia', 'drives under the system', false],
  ['GET /Managers/1', 'manager', false],
  ['GET /Managers/1/VirtualMedia/Cd', 'drives under the manager', false],
  ['GET /Chassis/1/NetworkAdapters/NIC', 'network adapters', false],
  ['GET /UpdateService', '/redfish/v1/UpdateService', false],
  ['POST /SessionService/Sessions', 'log in', false],
  ['DELETE /SessionService/Sessions/4', 'log out', false],
  ['PATCH /Systems/1', 'boot override', true],
  ['POST /Systems/1/Actions/ComputerSystem.Reset', 'reset', true],
  ['POST /Managers/1/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia', 'insert media', true],
  ['POST /Systems/1/VirtualMedia/Cd/Actions/VirtualMedia.EjectMedia', 'eject media', true],
  ['PATCH /Systems/1/Bios/Settings', 'PATCH /redfish/v1/Systems/1/Bios/Settings', true],
])('knows what %s is', (text, kind, changes) => {
  expect([kindOf(asked(text)), changesServer(asked(text))]).toEqual([kind, changes]);
  expect(isRead(asked(text))).toBe(text.startsWith('GET'));
});

const ours = ['POST /SessionService/Sessions', 'GET ', 'GET /Systems/1', 'PATCH /Systems/1'].map(asked);
const theirs = ['PATCH /Systems/1', 'PATCH /Systems/1', 'PATCH /Systems/1/Bios', 'GET /Systems/1'].map(asked);

it('puts two deploys beside each other', () => {
  expect([...tally(theirs)]).toEqual([
    ['boot override', 2],
    ['system', 1],
    ['PATCH /redfish/v1/Systems/1/Bios', 1],
  ]);
  expect(comparison(ours, theirs)).toBe(
    `writes                            ours  Ironic  ratio
--------------------------------  ----  ------  -----
log in                               1       0
boot override                        1       2
PATCH /redfish/v1/Systems/1/Bios     0       1
all writes                           2       3  0.67
without sessions                     1       3  0.33

reads         ours  Ironic  ratio
------------  ----  ------  -----
service root     1       0
system           1       1
all reads        2       1  2.00
all requests     4       4  1.00`,
  );
});

it('tells what each step asks, and leaves out those that ask nothing', () => {
  const steps = new Map([
    ['connect', ours.slice(0, 3)],
    ['preflight', []],
    ['set-boot', [ours[2]!, ours[3]!, ours[2]!]],
  ]);
  expect(bySteps(steps)).toBe(
    `our step  reads  writes  what it writes  what it reads
--------  -----  ------  --------------  --------------------
connect       2       1  log in          service root, system
set-boot      2       1  boot override   2 × system`,
  );
});
