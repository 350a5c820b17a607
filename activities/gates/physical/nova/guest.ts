import { fail, notYet, RackwrightError } from '../../../../core/errors/failure.ts';
import { keptAtPlace, reachOf, shownEndpoint, type Knock } from '../../../../core/agent/reach.ts';
import { field, text } from '../../../../core/openstack/read.ts';
import type { CloudServer } from '../../../../core/openstack/servers.ts';
import { placeOf } from '../../../drivers/knock.ts';
import type { OpenStack } from '../../../openstack/client.ts';
import type { CheckContext, Wrong } from '../../check.ts';
import { result, wrong } from '../server.ts';
import { refuseLost } from './deployment.ts';
import { isOver, ofPlan, type Plan } from './plan.ts';
import { isDeployed, standingOf } from './standing.ts';

const LOOK_MS = 5000;
const LINES = 400;

/** The server once it is active; throws until then, and where it never will be. */
async function active(cloud: OpenStack, plan: Plan, context: CheckContext): Promise<CloudServer> {
  const standing = await standingOf(cloud, plan, context);
  refuseLost(standing);
  const { server } = standing;
  if (server.status === 'ACTIVE' && isDeployed(standing)) return server;
  if (isOver(server.created, plan.bounds.deploy)) {
    throw fail('CHECK_NOT_MADE', `The server is not active after ${plan.bounds.deploy} s.`, {
      retryable: false,
    });
  }
  throw notYet('CHECK_TIMEOUT', `The server is ${server.status}.`, LOOK_MS);
}

/** Tries the guest's ports from where its user is. Throws where nothing can be told from there. */
async function knocked(plan: Plan, server: CloudServer, context: CheckContext) {
  const place = placeOf(plan.from, context);
  const endpoints = plan.ports.flatMap((port) => server.addresses.map((address) => ({ address, port })));
  const { knocks } = endpoints.length === 0 ? { knocks: [] } : await place.knock(endpoints);
  context.signal.throwIfAborted();
  const evidence = await context.evidence('reached', {
    asked: `connections to ports ${plan.ports.join(', ')} of server ${server.id}, from ${place.label}`,
    answer: { from: plan.from, addresses: [...server.addresses], tried: knocks.map((each) => ({ ...each })) },
  });
  const { reached, missed } = reachOf(knocks);
  const kept = keptAtPlace(missed);
  if (kept !== undefined) {
    const said = `No guest can be tried from ${place.label}: ${kept}.`;
    throw fail('VANTAGE_UNUSABLE', said, { ...place.unusable, retryable: true }, { retryAfterMs: LOOK_MS });
  }
  return { knocks, reached, missed, place, evidence };
}

const answers = ({ outcome }: Knock): boolean => outcome === 'open' || outcome === 'refused';
const told = (knocks: readonly Knock[]): string =>
  knocks.map((each) => `${shownEndpoint(each)} ${each.outcome}`).join(', ');

/** The first boot is done: the console's log says so, or the guest answers at its address. */
export const firstBoot = ofPlan(async (cloud, plan, context) => {
  const server = await active(cloud, plan, context);
  const { name } = plan.node;
  if (plan.booted !== undefined) return consoleSays(cloud, server, plan, context);
  const { knocks, evidence, place } = await knocked(plan, server, context);
  const heard = knocks.find(answers);
  if (heard) return result('pass', `the guest answers at ${heard.address}`, { evidence: [evidence] });
  const silent: Wrong = {
    message:
      knocks.length === 0
        ? `Server ${server.id} has no address that its guest could be tried at.`
        : `The guest does not answer from ${place.label}: ${told(knocks)}.`,
    correction:
      'Watch the console of the node while it boots from its disk, and look whether its image brings up the network.',
  };
  if (knocks.length === 0 || isOver(server.launched, plan.bounds.firstBoot)) {
    return wrong(name, [silent], 'first-boot', [evidence]);
  }
  throw notYet('CHECK_TIMEOUT', silent.message, LOOK_MS);
});

const NOT_IMPLEMENTED = 501;

async function consoleSays(cloud: OpenStack, server: CloudServer, plan: Plan, context: CheckContext) {
  const { name } = plan.node;
  const wanted = plan.booted!;
  let output: string;
  try {
    const path = `/v2.1/servers/${server.id}/action`;
    const body = { 'os-getConsoleOutput': { length: LINES } };
    output = text(field(await cloud.json('compute', path, { method: 'POST', body }), 'output'));
  } catch (error) {
    if (!(error instanceof RackwrightError)) throw error;
    if (error.failure.details?.['status'] !== NOT_IMPLEMENTED) throw error;
    const none: Wrong = {
      message: `Nova keeps no console log of server ${server.id}: its driver cannot.`,
      correction:
        'Leave `acceptance.cloud.firstBoot` out: then the first boot is done when the guest answers.',
    };
    return wrong(name, [none], 'contract');
  }
  const has = output.includes(wanted);
  const evidence = await context.evidence('console-log', {
    asked: `the last ${LINES} lines of the console's log, for: ${wanted}`,
    answer: { has, bytes: output.length },
  });
  if (has) return result('pass', `the console says: ${wanted}`, { evidence: [evidence] });
  const missing: Wrong = {
    message: `The console's log does not say “${wanted}”, of ${output.length} bytes.`,
    correction: 'Read it (openstack console log show), and look where the first boot stopped.',
  };
  if (isOver(server.launched, plan.bounds.firstBoot)) return wrong(name, [missing], 'first-boot', [evidence]);
  throw notYet('CHECK_TIMEOUT', missing.message, LOOK_MS);
}

/** Its user reaches the guest at each port that was promised, from where that user is. */
export const guestReached = ofPlan(async (cloud, plan, context) => {
  const server = await active(cloud, plan, context);
  const { name } = plan.node;
  const { knocks, reached, missed, place, evidence } = await knocked(plan, server, context);
  if (knocks.length > 0 && missed.length === 0) {
    const at = reached.map(shownEndpoint).join(', ');
    return result('pass', `reached on ${at} from ${place.label}`, { evidence: [evidence] });
  }
  const isHeard = knocks.some(answers);
  const seconds = plan.bounds.handOver + (isHeard ? 0 : plan.bounds.firstBoot);
  if (!isOver(server.launched, seconds) && knocks.length > 0) {
    throw notYet('CHECK_TIMEOUT', `Not reached from ${place.label} yet: ${told(missed)}.`, LOOK_MS);
  }
  if (!isHeard && plan.booted === undefined) {
    throw fail('CHECK_NOT_MADE', 'The guest answers nobody: its first boot is not done.', {
      retryable: false,
    });
  }
  const refuses = missed.some(({ outcome }) => outcome === 'refused');
  const found: Wrong = {
    message: `The guest is not reached from ${place.label}: ${told(missed) || 'it has no address'}.`,
    correction: refuses
      ? 'Look what should listen on that port in the image, and whether it runs.'
      : `Look at the way from ${place.label} to the network of the guest: routes, security groups, the VLAN of its switch port.`,
    faultDomain: refuses ? 'first-boot' : 'tenant-network',
  };
  return wrong(name, [found], 'tenant-network', [evidence]);
});
