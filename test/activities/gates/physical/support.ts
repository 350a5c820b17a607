import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { CheckContext } from '../../../../activities/gates/check.ts';
import { GATE_CHECKS } from '../../../../activities/gates/index.ts';
import { loadInventory } from '../../../../activities/inventory/load.ts';
import { OpenStack } from '../../../../activities/openstack/client.ts';
import type { Credentials } from '../../../../activities/openstack/tokens.ts';
import { resolveSecret } from '../../../../activities/secrets/resolve.ts';
import type { Site } from '../../../../activities/site.ts';
import { freePorts } from '../../../../client/up/ports.ts';
import type { Inventory } from '../../../../contracts/inventory/inventory.ts';
import type { CheckResult } from '../../../../core/acceptance/report.ts';
import { failure, RackwrightError, type Failure } from '../../../../core/errors/failure.ts';
import { newAuthority } from '../../../../lab/certificates.ts';
import { labCloud, type LabCloud } from '../../../../lab/openstack/start.ts';
import { SITE } from '../../../workflows/support.ts';
import { secretsOf } from '../kubernetes/support.ts';

/** The checks of gate 7, as they are made. */
const GATE = GATE_CHECKS.filter(({ check }) => check.gate === 7);

export const NODE = 'node-001';

export interface ALab {
  readonly cloud: LabCloud;
  readonly url: string;
  /** The contract of a site with that cloud, and whatever else it is to say of acceptance. */
  contract(acceptance?: object, cloud?: object): Promise<Inventory>;
  /** Sets switches of a service. */
  faults(service: string, switches: { [name: string]: boolean | number }): void;
  clear(): void;
  /** Asks the cloud as its administrator. */
  as<T>(use: (client: OpenStack) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The lab's cloud in this process, with a machine that does as it is told. */
export async function aLab(speed = 50): Promise<ALab> {
  const dir = await mkdtemp(join(tmpdir(), 'rackwright-cloud-'));
  const authority = await newAuthority('Lab CA');
  const ca = join(dir, 'ca.pem');
  await writeFile(ca, authority.cert);
  const image = join(dir, 'image.raw');
  await writeFile(image, Buffer.alloc(64 * 1024, 7));
  const [port, consolePort] = await freePorts(2);
  const machine = {
    name: NODE,
    uuid: 'c0ffee00-0000-4000-8000-000000000001',
    bmc: `https://${NODE}.bmc.lab`,
    nics: [{ mac: '52:54:01:00:01:00', address: '127.64.0.1' }],
    deployed: () => undefined,
    released: () => undefined,
    power: () => undefined,
  };
  const cloud = await labCloud({ dir, authority, host: '127.0.0.1', speed, machine, image });
  const listening = await cloud.listen('127.0.0.1', port!, consolePort!);
  return {
    cloud,
    url: `https://127.0.0.1:${port}`,
    async contract(acceptance = {}, more = {}) {
      const { openstack, acceptance: own } = cloud.contract() as {
        openstack: object;
        acceptance: { flavor: string; cloud: object };
      };
      const file = join(dir, 'inventory.yaml');
      await writeFile(
        file,
        stringify({
          site: SITE,
          openstack: { ...openstack, ca, ironic: { url: `https://127.0.0.1:${port}/baremetal` } },
          images: [{ name: 'a', url: 'image.raw', checksum: `sha256:${'0'.repeat(64)}`, format: 'raw' }],
          machineTypes: [{ name: 't', resourceClass: 'lab-gpu-8' }],
          nodes: [{ name: NODE, type: 't', driver: 'ironic', ironic: { driver: 'redfish' } }],
          acceptance: {
            node: NODE,
            image: 'a',
            ...own,
            cloud: { ...own.cloud, ...more },
            timeouts: {
              deadlines: { deploy: '30s', release: '30s' },
              firstBoot: '30s',
              handOver: '30s',
            },
            ...acceptance,
          },
        }),
      );
      const loaded = await loadInventory(file);
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
      return loaded.inventory;
    },
    faults(service, switches) {
      const refused = cloud.faults.get(service)!.set(switches);
      if (refused !== undefined) throw new Error(refused);
    },
    clear: () => [...cloud.faults.values()].forEach((each) => each.clear()),
    async as(use) {
      const { openstack } = cloud.contract() as {
        openstack: { authUrl: string; credentials: { password: string } };
      };
      const password = await resolveSecret(openstack.credentials.password);
      const client = new OpenStack(
        {
          authUrl: openstack.authUrl,
          interface: 'public',
          ca: authority.cert,
          credentials: { ...openstack.credentials, password, systemScope: false } as Credentials,
        },
        { signal: new AbortController().signal },
      );
      try {
        return await use(client);
      } finally {
        await client.close();
      }
    },
    close: () => listening.close(),
  };
}

export type Outcome = Omit<CheckResult, 'outcome'> & { outcome: CheckResult['outcome'] | 'not made' };

export interface Made {
  readonly site: Site;
  readonly inventory: Inventory;
  /** Tells runs of the gate apart. */
  readonly runId: string;
  readonly run?: number;
  /** Seconds that a check may take in all. */
  readonly seconds?: number;
  /** The longest pause between attempts, in milliseconds; a check may ask for a shorter one. @default 30 */
  readonly pace?: number;
  /** Called with each check before it is made. */
  readonly before?: (id: string) => unknown;
}

/** Makes one check, again and again while it says “not yet”, as its activity does. */
export async function makeOne(id: string, made: Made): Promise<Outcome> {
  const { site, inventory, runId, run = 1, seconds = 40, pace = 30 } = made;
  const found = GATE.find(({ check }) => check.id === id)!;
  const skipped = found.skip?.(inventory);
  if (skipped !== undefined)
    return { outcome: 'skipped', summary: skipped, findings: [], targets: 0, evidence: [] };
  const context: CheckContext = {
    input: { site: SITE, runId, contractHash: '', gate: 7, check: id, run },
    site,
    inventory,
    signal: new AbortController().signal,
    secret: secretsOf(site),
    evidence: (target, { asked, answer }) =>
      site.evidence.put(
        {
          site: SITE,
          node: '_acceptance',
          requestId: runId,
          step: id,
          name: target.replaceAll(/[^a-zA-Z0-9_-]/g, '_'),
          run,
          asked,
          of: target,
          from: 'test',
          answer,
        },
        site.secrets,
      ),
  };
  for (const end = Date.now() + seconds * 1000; ;) {
    try {
      return await found.run(context);
    } catch (error) {
      if (!(error instanceof RackwrightError)) throw error;
      if (!error.failure.retryable || Date.now() > end) return erred(id, error.failure);
      await sleep(Math.min(error.retryAfterMs ?? pace, pace));
    }
  }
}

const erred = (target: string, of: Failure): Outcome => ({
  outcome: 'error',
  summary: of.message,
  findings: [{ target, failure: of }],
  targets: 1,
  evidence: [],
});

/** Makes the whole gate: its checks side by side as they need each other, then what comes after them. */
export async function makeGate(made: Made): Promise<{ readonly [id: string]: Outcome }> {
  const all = new Map<string, Promise<Outcome>>();
  for (const { check } of GATE.filter(({ check }) => check.stage === 'check')) {
    const needed = check.needs.map((id) => all.get(id)!);
    all.set(
      check.id,
      Promise.all(needed).then(async (results) => {
        const isSkipped =
          GATE.find(({ check: { id } }) => id === check.id)!.skip?.(made.inventory) !== undefined;
        if (!isSkipped && results.some(({ outcome }) => outcome !== 'pass'))
          return { ...erred(check.id, failure('CHECK_NOT_MADE', '')), outcome: 'not made' as const };
        await made.before?.(check.id);
        return makeOne(check.id, made);
      }),
    );
  }
  const results: { [id: string]: Outcome } = {};
  for (const [id, outcome] of all) results[id] = await outcome;
  for (const { check } of GATE.filter(({ check }) => check.stage !== 'check')) {
    await made.before?.(check.id);
    results[check.id] = await makeOne(check.id, made);
  }
  return results;
}

export const outcomesOf = (results: { readonly [id: string]: Outcome }) =>
  Object.fromEntries(Object.entries(results).map(([id, { outcome }]) => [id, outcome]));
