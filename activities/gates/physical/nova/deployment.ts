import { fail, notYet } from '../../../../core/errors/failure.ts';
import type { FaultDomain } from '../../../../core/fault-domains.ts';
import type { CloudFinding } from '../../../../core/openstack/finding.ts';
import { timeOf } from '../../../../core/openstack/read.ts';
import type { CheckFunction } from '../../check.ts';
import { result, wrong } from '../server.ts';
import { isOver, ofPlan, type Plan } from './plan.ts';
import { isDeployed, standingOf, type Standing } from './standing.ts';

const LOOK_MS = 5000;

/** Deploy interfaces that boot no agent, or write no image. */
const WITHOUT_AGENT = /^(fake|ramdisk|anaconda|no-deploy)/;

/** The failures of a deployment that a check of its own tells of. */
const TOLD_BY: { readonly [domain in FaultDomain]?: 'agent' | 'image' } = {
  'deploy-agent': 'agent',
  'image-supply': 'image',
};

/** Which check tells of a cause; undefined: that of the server itself. */
const tellerOf = ({ cause }: Standing): 'agent' | 'image' | undefined =>
  cause?.inDeployment ? TOLD_BY[cause.finding.faultDomain] : undefined;

/** Throws where what a check waits for will not come, and another check says why. */
export function refuseLost(standing: Standing): asserts standing is Standing & { server: object } {
  const { server, cause } = standing;
  const why = server === undefined ? 'the server is gone' : cause ? 'the server failed' : undefined;
  if (why === undefined) return;
  throw fail('CHECK_NOT_MADE', `It was not seen before ${why}.`, { retryable: false });
}

const words = ({ server, node }: Standing): string =>
  `server ${server?.status ?? 'gone'}${server?.task ? ` (${server.task})` : ''}, node ${node?.state ?? 'gone'}`;

/** Waits for something that the deployment shows of itself. */
const byStanding = (
  teller: 'agent' | 'image',
  seen: (standing: Standing) => string | undefined,
  without: string,
): CheckFunction =>
  ofPlan(async (cloud, plan, context) => {
    const standing = await standingOf(cloud, plan, context);
    const { name } = plan.node;
    const evidence = async () => [
      await context.evidence(name, { asked: 'the server, and its node', answer: { ...standing.shown } }),
    ];
    const { cause, node, server } = standing;
    if (cause && tellerOf(standing) === teller) {
      return wrong(name, [cause.finding], cause.finding.faultDomain, await evidence());
    }
    if (node && WITHOUT_AGENT.test(node.deployInterface)) {
      return result('skipped', `the deploy interface ${node.deployInterface} of ${name} ${without}`);
    }
    refuseLost(standing);
    const said = seen(standing);
    if (said !== undefined) return result('pass', said, { evidence: await evidence() });
    if (isOver(server?.created, plan.bounds.deploy)) {
      throw fail('CHECK_NOT_MADE', `It was not seen in ${plan.bounds.deploy} s: ${words(standing)}.`, {
        retryable: false,
      });
    }
    throw notYet('CHECK_TIMEOUT', `Not yet: ${words(standing)}.`, LOOK_MS);
  });

/** Its heartbeat is newer than the server, or the deployment that it has to make is over. */
export const agentCalledBack = byStanding(
  'agent',
  (standing) => {
    const { node, server } = standing;
    const heard = timeOf(node?.agentHeard);
    if (heard !== undefined && heard > (timeOf(server?.created) ?? Infinity)) {
      return `heard of at ${new Date(heard).toISOString()}`;
    }
    return isDeployed(standing) ? `Ironic deployed it by interface ${node!.deployInterface}` : undefined;
  },
  'boots no agent',
);

export const imageWritten = byStanding(
  'image',
  (standing) =>
    isDeployed(standing) ? `Ironic wrote it by interface ${standing.node!.deployInterface}` : undefined,
  'writes no image',
);

/** What keeps a server that is neither active nor in ERROR, by how far its node has come. */
function stuck(plan: Plan, standing: Standing): CloudFinding {
  const { node, server } = standing;
  const message = `Server ${server?.id} is not active after ${plan.bounds.deploy} s: ${words(standing)}.`;
  if (node?.state === 'wait call-back') {
    return {
      message,
      correction: 'Watch the console of the node while it boots the ramdisk: its agent does not call back.',
      faultDomain: 'deploy-agent',
    };
  }
  const byIronic = node !== undefined && node.state !== 'active' && node.instance === server?.id;
  return byIronic
    ? {
        message,
        correction: `Look into the log of the conductor that has ${node.name}: openstack baremetal node show ${node.name}`,
        faultDomain: 'ironic',
      }
    : {
        message,
        correction: `Look where it stands: openstack server event list ${server?.id}, and the log of its nova-compute.`,
        faultDomain: 'openstack',
      };
}

/** Nova says ACTIVE and Ironic says active, each of the other. */
export const serverActive = ofPlan(async (cloud, plan, context) => {
  const standing = await standingOf(cloud, plan, context);
  const { server, cause } = standing;
  const { name } = plan.node;
  const evidence = [
    await context.evidence(name, { asked: 'the server, and its node', answer: { ...standing.shown } }),
  ];
  if (server === undefined) {
    const gone: CloudFinding = {
      message: 'The server is gone: somebody has deleted it while it was looked at.',
      correction: 'Look who did it (the API log of Nova), and resume the run.',
      faultDomain: 'orchestrator',
    };
    return wrong(name, [gone], 'orchestrator', evidence);
  }
  if (tellerOf(standing) !== undefined) refuseLost(standing);
  if (cause) return wrong(name, [cause.finding], cause.finding.faultDomain, evidence);
  if (server.status === 'ACTIVE' && isDeployed(standing)) {
    return result('pass', `ACTIVE in Nova and active in Ironic, on ${name}`, { evidence });
  }
  if (isOver(server.created, plan.bounds.deploy)) {
    return wrong(name, [stuck(plan, standing)], 'openstack', evidence);
  }
  throw notYet('CHECK_TIMEOUT', `Not yet: ${words(standing)}.`, LOOK_MS);
});
