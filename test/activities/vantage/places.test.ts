import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { CheckContext } from '../../../activities/gates/check.ts';
import { conductorToBmc, planOf } from '../../../activities/gates/reachability/conductor-to-bmc.ts';
import { placesAt } from '../../../activities/vantage/places.ts';
import { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { EvidenceRef } from '../../../core/operations.ts';

// Which places a name stands for: what one of them reaches says nothing of another.

let pods: V1Pod[];
vi.mock('../../../activities/kubernetes/open.ts', () => ({
  openKubernetes: () => Promise.resolve({ pods: () => Promise.resolve(pods) }),
}));

let bmc: Server;
let address: string;
beforeAll(async () => {
  bmc = createServer((_request, response) => response.writeHead(401).end());
  await new Promise<void>((listening) => bmc.listen(0, '127.0.0.1', listening));
  address = `http://127.0.0.1:${(bmc.address() as AddressInfo).port}`;
});
afterAll(() => bmc.close());

const pod = (name: string, phase: string, isReady: boolean, over: object = {}): V1Pod => ({
  metadata: { name, ...over },
  status: { phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});
const inventory = () =>
  Inventory.parse({
    site: 'lab',
    kubernetes: { kubeconfig: 'env:KUBECONFIG' },
    vantagePoints: [{ name: 'conductors', pod: { namespace: 'openstack', labels: { app: 'conductor' } } }],
  });
const labels = async (): Promise<string[]> => {
  const signal = new AbortController().signal;
  const places = await placesAt('conductors', {
    inventory: inventory(),
    signal,
    secret: () => Promise.resolve(''),
  } as unknown as CheckContext);
  return places.map(({ label }) => label);
};

it.each([
  ['crashes', pod('c-1', 'Running', false)],
  ['is not scheduled', pod('c-1', 'Pending', false)],
])('one that %s is not passed over', async (_what, down) => {
  pods = [pod('c-0', 'Running', true), down];
  await expect(labels()).rejects.toMatchObject({
    failure: {
      code: 'KUBERNETES_POD_UNUSABLE',
      message: expect.stringContaining('pod c-1 is not ready') as string,
    },
  });
});

it('one that has ended or is being deleted is not waited for', async () => {
  pods = [
    pod('c-0', 'Running', true),
    pod('job', 'Succeeded', false),
    pod('old', 'Running', false, { deletionTimestamp: new Date() }),
  ];
  expect(await labels()).toEqual(['vantage point conductors (pod openstack/c-0)']);
});

it('where there are too many, it says so', async () => {
  pods = Array.from({ length: 40 }, (_, at) => pod(`c-${at}`, 'Running', true));
  const told = await labels();
  expect(told).toHaveLength(16);
  expect(told[0]).toBe('vantage point conductors (pod openstack/c-0, one of 16 of 40)');
});

it.each([
  ['alone', []],
  [
    'beside one of the worker',
    [
      {
        name: 'own',
        type: 't',
        bmc: { address: 'https://127.0.0.1:1', credentials: { username: 'u', password: 'env:BMC_PASSWORD' } },
      },
    ],
  ],
])('a node of Ironic that is not reached by Redfish is nothing to be tried, %s', (_how, own) => {
  const ironic = { driver: 'ipmi', driverInfo: { ipmi_address: '10.0.0.1' } };
  const nodes = [...own, { name: 'theirs', type: 't', driver: 'ironic', ironic }];
  const parsed = Inventory.parse({ site: 'lab', machineTypes: [{ name: 't' }], nodes });
  expect(planOf(parsed).without).toEqual([]);
  expect(conductorToBmc.skip!(parsed)).toBe(
    own.length > 0 ? undefined : 'no BMC of these nodes is reached by Redfish',
  );
});

it('a worker that stands for the conductors, too, keeps the evidence of all that it tried', async () => {
  const nodes = [
    {
      name: 'own',
      type: 't',
      bmc: { address, credentials: { username: 'u', password: 'env:BMC_PASSWORD' } },
    },
    {
      name: 'theirs',
      type: 't',
      driver: 'ironic',
      ironic: { driver: 'redfish', driverInfo: { redfish_address: address } },
    },
  ];
  const kept = new Map<string, unknown>();
  const context = {
    inventory: Inventory.parse({
      site: 'lab',
      machineTypes: [{ name: 't' }],
      nodes,
      acceptance: { reachability: { conductors: ['worker'] } },
    }),
    signal: new AbortController().signal,
    evidence: (target: string, { answer }: { answer: unknown }) => {
      kept.set(target, answer);
      return Promise.resolve({ id: target } as unknown as EvidenceRef);
    },
  } as unknown as CheckContext;
  expect(await conductorToBmc.run(context)).toMatchObject({
    outcome: 'pass',
    summary: '2 reached from the worker',
  });
  expect(kept.get('the worker')).toMatchObject({
    tried: [{ what: 'the BMC of own' }, { what: 'the BMC of theirs' }],
  });
});
