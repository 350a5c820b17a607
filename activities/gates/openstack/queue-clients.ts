import { setTimeout as sleep } from 'node:timers/promises';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { Json } from '../../../core/json.ts';
import { readServices } from '../../../core/openstack/compute-services.ts';
import { readAgents } from '../../../core/openstack/network-agents.ts';
import { judgeWatch, reportersOf, type Seen } from '../../../core/openstack/watched.ts';
import type { OpenStack } from '../../openstack/client.ts';
import { eachTarget, withRepeats, type CheckFunction } from '../check.ts';
import { servicesOf } from './compute-services.ts';
import { agentsOf } from './network-agents.ts';
import { isThere, withOpenStack, withoutOpenStack } from './session.ts';

/** Longer than two reports of Neutron's agents, whose interval is the longest. */
const WATCH_SECONDS = 65;
const LEAST_LOOKS = 12;
/** Between two looks: who is down for as long is seen to be. */
const GAP_SECONDS = 10;
/** Of one look itself. */
const LOOKING_SECONDS = 2.5;

const watchOf = ({ openstack }: Inventory): number => openstack?.watch ?? WATCH_SECONDS;
const looksWithin = (seconds: number): number => Math.max(LEAST_LOOKS, Math.ceil(seconds / GAP_SECONDS));

/** Who reports through the message queue goes on reporting, for as long as it is watched. */
export const queueClients: CheckFunction = {
  skip: (inventory) =>
    withoutOpenStack(inventory) ??
    (isThere(inventory, 'compute') || isThere(inventory, 'network')
      ? undefined
      : 'the contract has neither compute nor network among `openstack.services`'),
  bounds: (inventory, least) => {
    const seconds = watchOf(inventory);
    const whole = seconds + (looksWithin(seconds) + 1) * LOOKING_SECONDS;
    const attempt = Math.max(least.attempt, Math.ceil(withRepeats(whole)));
    return { attempt, total: Math.max(least.total, 2 * attempt) };
  },
  run: (context) =>
    withOpenStack(context, (cloud) =>
      eachTarget(context, 'openstack', [{ name: 'queue-clients' }], async ({ name }) => {
        const seconds = watchOf(context.inventory);
        const last = looksWithin(seconds);
        const looks: Seen[] = [];
        const began = performance.now();
        for (let at = 0; at <= last; at++) {
          const due = began + (at * seconds * 1000) / last - performance.now();
          if (due > 0) await sleep(due, undefined, { signal: context.signal });
          looks.push(await lookAt(cloud, context.inventory, began));
          context.progress?.({ looks: `${at + 1} of ${last + 1}` });
        }
        const evidence = await context.evidence(name, {
          asked: `GET /v2.1/os-services and /v2.0/agents, ${looks.length} times within ${Math.round(seconds)} s`,
          answer: { looks } as unknown as Json,
        });
        const wrong = judgeWatch(looks);
        const up = looks[0]!.reporters.filter((each) => each.up).length;
        return {
          found:
            wrong.length > 0
              ? { wrong }
              : { right: `${up} went on reporting for the ${Math.round(seconds)} s that they were watched` },
          evidence: [evidence],
        };
      }),
    ),
};

async function lookAt(cloud: OpenStack, inventory: Inventory, began: number): Promise<Seen> {
  const services = isThere(inventory, 'compute') ? readServices(await servicesOf(cloud)) : [];
  const agents = isThere(inventory, 'network') ? readAgents(await agentsOf(cloud)) : [];
  return { after: (performance.now() - began) / 1000, reporters: reportersOf(services, agents) };
}
