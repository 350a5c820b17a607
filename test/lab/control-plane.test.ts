import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadInventory } from '../../activities/inventory/load.ts';
import { Kubernetes } from '../../activities/kubernetes/client.ts';
import { openKubeconfig } from '../../activities/kubernetes/kubeconfig.ts';
import { OpenStack } from '../../activities/openstack/client.ts';
import { SecretSet } from '../../activities/secrets/redact.ts';
import { resolveSecret } from '../../activities/secrets/resolve.ts';
import { placesAt } from '../../activities/vantage/places.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import type { Probe } from '../../core/reachability/probe.ts';
import { KUBERNETES_SWITCHES } from '../../lab/kubernetes/switches.ts';
import { call } from './clients.ts';
import { buildLab, runLab, type LabProcess } from './lab-process.ts';

let build: ReturnType<typeof buildLab>;
let dir: string;
let lab: LabProcess;

const args = (...more: string[]) => ['--data-dir', dir, '--servers', '1', ...more];
beforeAll(async () => {
  build = buildLab();
  dir = mkdtempSync(join(tmpdir(), 'lab-control-plane-'));
  lab = await runLab(build.main, args('--control-plane'));
});
afterAll(async () => {
  await lab.end('SIGKILL');
  build.remove();
  rmSync(dir, { recursive: true });
});

const faults = (name = 'kubernetes'): string => `${lab.controlUrl}/services/${name}/faults`;

async function contract(): Promise<Inventory> {
  const loaded = await loadInventory(lab.inventory);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.inventory;
}

/** The Kubernetes of the lab, as its inventory says. */
async function kubernetes(): Promise<Kubernetes> {
  const secrets = { secret: resolveSecret, remember: () => undefined };
  const config = await openKubeconfig((await contract()).kubernetes!, secrets);
  return new Kubernetes(config, { signal: new AbortController().signal });
}

it('has controllers and a Kubernetes in its inventory, and goes on with both after kill -9', async () => {
  const names = async () => (await (await kubernetes()).nodes()).map(({ metadata }) => metadata?.name);
  expect(await names()).toEqual(['controller-1', 'controller-2', 'controller-3']);
  await call('PUT', faults(), { nodeMissing: true });
  expect(await names()).toEqual(['controller-1', 'controller-2']);
  const before = readFileSync(lab.inventory, 'utf8');
  await lab.end('SIGKILL');
  lab = await runLab(build.main, args('--control-plane'));
  expect(readFileSync(lab.inventory, 'utf8')).toBe(before);
  expect(await names()).toEqual(['controller-1', 'controller-2']);
  await call('DELETE', faults());
  expect((await names()).length).toBe(3);
});

it('lists its switches, refuses those that it does not have, and services that it does not have', async () => {
  const { body } = await call('GET', faults());
  expect(body).toEqual({ faults: {} });
  expect(KUBERNETES_SWITCHES.length).toBeGreaterThan(20);
  expect((await call('PUT', faults(), { bmcDown: 1 })).status).toBe(400);
  expect((await call('GET', faults('keystone'))).status).toBe(404);
});

it('has a cloud beside them where one was asked for, which its inventory says how to reach', async () => {
  await lab.end('SIGKILL');
  lab = await runLab(build.main, args('--openstack'));
  const { kubernetes: cluster, openstack } = await contract();
  expect(cluster).toBeDefined();
  const { authUrl, region, ca, credentials } = openstack!;
  const { username, password, project, domain } = credentials!;
  const cloud = new OpenStack(
    {
      authUrl: authUrl!,
      interface: 'public',
      region,
      ca: readFileSync(ca!, 'utf8'),
      credentials: {
        username,
        password: await resolveSecret(password),
        project,
        domain: domain!,
        systemScope: true,
      },
    },
    { signal: new AbortController().signal },
  );
  const names = async (): Promise<unknown> =>
    ((await cloud.list('baremetal', '/v1/nodes?limit=1', 'nodes')) as { name: string }[]).map(
      ({ name }) => name,
    );
  try {
    expect(await names()).toEqual(['node-001']);
    expect(await cloud.list('image', '/v2/images?limit=1', 'images')).toHaveLength(3);
    expect(await cloud.list('compute', '/v2.1/os-hypervisors?limit=2', 'hypervisors')).toHaveLength(3);
    expect(await cloud.list('network', '/v2.0/networks?limit=1', 'networks')).toHaveLength(2);
    await call('PUT', faults('ironic'), { apiUnavailable: 1 });
    await expect(names()).rejects.toThrow('503');
    expect(await names()).toEqual(['node-001']);
  } finally {
    await cloud.close();
  }
});

it('has those who come to the cloud at its vantage points, with their faults, also after kill -9', async () => {
  /** What a place says of what is tried from it. */
  const from = async (name: string, probe: Probe): Promise<string> => {
    const { signal } = new AbortController();
    const site = { secrets: new SecretSet() };
    const opening = { inventory: await contract(), site, secret: resolveSecret, signal };
    const [place] = await placesAt(name, opening);
    return (await place.probe([probe]))[0]!.outcome;
  };
  const { acceptance } = await contract();
  const { user, guest, operator } = acceptance!.reachability!;
  const [cloud, ssh, page] = [guest!.reaches[0]!, user!.guests![0]!, { url: operator!.console![0]! }];
  const told = async () => ({
    guest: await from(guest!.from, cloud),
    user: [await from(user!.from, cloud), await from(user!.from, ssh)],
    // By the authority that the host trusts: nothing else was given.
    console: await from(operator!.from, page),
  });
  expect(await told()).toEqual({ guest: 'open', user: ['open', 'open'], console: 'answered' });
  await call('PUT', faults('access'), { guestCutOff: true, guestClosed: true });
  await call('PUT', faults('nova'), { consoleProxyDown: true });
  const faulty = { guest: 'EHOSTUNREACH', user: ['open', 'refused'], console: 'refused' };
  expect(await told()).toEqual(faulty);
  const before = await contract();
  await lab.end('SIGKILL');
  lab = await runLab(build.main, args('--openstack'));
  expect(await contract()).toEqual(before);
  expect(await told()).toEqual(faulty);
  expect((await call('PUT', faults('access'), { sshDown: true })).status).toBe(400);
});

it('says nothing of a control plane where none was asked for', async () => {
  await lab.end('SIGKILL');
  lab = await runLab(build.main, args());
  const inventory = readFileSync(lab.inventory, 'utf8');
  expect(inventory).not.toContain('kubernetes');
  expect(inventory).not.toContain('openstack');
  expect((await call('GET', faults())).status).toBe(404);
});
