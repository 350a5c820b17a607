import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckContext } from '../../../../activities/gates/check.ts';
import { GATE_CHECKS } from '../../../../activities/gates/index.ts';
import { resolveSecret } from '../../../../activities/secrets/resolve.ts';
import type { Site } from '../../../../activities/site.ts';
import { freePorts } from '../../../../client/up/ports.ts';
import { Inventory } from '../../../../contracts/inventory/inventory.ts';
import type { CheckResult } from '../../../../core/acceptance/report.ts';
import { newAuthority } from '../../../../lab/certificates.ts';
import { labCluster, type LabCluster } from '../../../../lab/kubernetes/cluster.ts';
import { SITE } from '../../../workflows/support.ts';

/** The checks of gate 2, by name and as they are made. */
export const KUBERNETES_GATE = GATE_CHECKS.filter(({ check: { gate } }) => gate === 2);

/** A contract of a site with this Kubernetes, and nothing else. */
export const contractWith = (part: object): Inventory => Inventory.parse({ site: SITE, ...part });

/** The lab's cluster in this process, over TLS on a port of its own. */
export async function aCluster(): Promise<{
  cluster: LabCluster;
  inventory: Inventory;
  kubeconfig: string;
  close(): Promise<void>;
}> {
  const dir = await mkdtemp(join(tmpdir(), 'rackwright-cluster-'));
  const cluster = await labCluster(dir, await newAuthority('Lab CA'), '127.0.0.1');
  const [port] = await freePorts(1);
  const listening = await cluster.listen('127.0.0.1', port!);
  return {
    cluster,
    inventory: contractWith(cluster.contract()),
    kubeconfig: await readFile(cluster.kubeconfig, 'utf8'),
    close: () => listening.close(),
  };
}

/** Resolves references as a worker does, and remembers their values. */
export const secretsOf =
  ({ secrets }: Pick<Site, 'secrets'>): Site['secret'] =>
  async (reference) => {
    const value = await resolveSecret(reference);
    secrets.add(value);
    return value;
  };

/** Makes a check as its activity does, without Temporal. */
export function makeCheck(
  id: string,
  {
    site,
    inventory,
    signal = new AbortController().signal,
  }: { site: Site; inventory: Inventory; signal?: AbortSignal },
): Promise<CheckResult> {
  const made = GATE_CHECKS.find(({ check }) => check.id === id)!;
  const skipped = made.skip?.(inventory);
  if (skipped !== undefined)
    return Promise.resolve({ outcome: 'skipped', summary: skipped, findings: [], targets: 0, evidence: [] });
  const input = { site: SITE, runId: 'r1', contractHash: '', gate: made.check.gate, check: id, run: 1 };
  const context: CheckContext = {
    input,
    site,
    inventory,
    signal,
    secret: secretsOf(site),
    evidence: (target, { asked, answer }) =>
      site.evidence.put(
        {
          site: SITE,
          node: '_acceptance',
          requestId: 'r1',
          step: id,
          name: target,
          run: 1,
          asked,
          of: target,
          from: 'test',
          answer,
        },
        site.secrets,
      ),
  };
  return made.run(context);
}
