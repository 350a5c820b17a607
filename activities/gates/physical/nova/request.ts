import { fail, notYet, RackwrightError } from '../../../../core/errors/failure.ts';
import type { Json } from '../../../../core/json.ts';
import { judgePlace, judgeRefusal } from '../../../../core/openstack/build.ts';
import type { CloudFinding } from '../../../../core/openstack/finding.ts';
import { field, text } from '../../../../core/openstack/read.ts';
import { metadataOf } from '../../../../core/openstack/servers.ts';
import type { OpenStack } from '../../../openstack/client.ts';
import type { CheckContext, CheckFunction } from '../../check.ts';
import { result, wrong } from '../server.ts';
import { markOf, nodeNamed, refuseBlind, refuseHidden, serverById, serversOf } from './cloud.ts';
import { noNode } from './available.ts';
import { mayStillCome, notedOf } from './noted.ts';
import { NOTICED_SECONDS, partsOf, type Parts } from './parts.ts';
import { isOver, ofPlan, type Plan } from './plan.ts';
import { causeOf } from './standing.ts';

const LOOK_MS = 2000;
/** How long it may take until a node has the server. */
const SCHEDULED_SECONDS = 600;
/** With what comes before and after. */
const WHOLE_SECONDS = NOTICED_SECONDS + SCHEDULED_SECONDS + 120;

/** Asks for a server, unless one is found that this run of the gate has asked for; and waits until the node has it. */
const requested = ofPlan(async (cloud, plan, context) => {
  const { name } = plan.node;
  const node = await nodeNamed(cloud, name);
  if (!node) {
    await refuseBlind(cloud, name);
    return wrong(name, [noNode(name)], 'contract');
  }
  const mark = markOf(context);
  const servers = await serversOf(cloud, mark);
  const [server] = [...servers].sort(
    (a, b) => Number(b.read.hypervisor === node.read.uuid) - Number(a.read.hypervisor === node.read.uuid),
  );
  if (!server) {
    const gone = await goneOf(cloud, context);
    if (gone) return wrong(name, [gone], 'openstack');
    const parts = await partsOf(cloud, plan, node.read);
    if (Array.isArray(parts)) return wrong(name, parts, 'openstack');
    const refused = await ask(cloud, plan, parts, context);
    if (refused) return wrong(name, [refused], 'openstack');
    throw notYet('CHECK_TIMEOUT', `Server ${mark.name} is asked for.`, LOOK_MS);
  }
  refuseHidden(server.read);
  const evidence = [
    await context.evidence(name, {
      asked: 'the server, and its node, when it was scheduled',
      answer: { server: server.shown, node: node.shown },
    }),
  ];
  const elsewhere = judgePlace(server.read, node.read);
  if (elsewhere) return wrong(name, [elsewhere], 'contract', evidence);
  if (server.read.status === 'ERROR') {
    const cause = await causeOf(cloud, { server: server.read, node: node.read, flavor: plan.flavor });
    if (!cause.inDeployment) return wrong(name, [cause.finding], 'openstack', evidence);
    return result('pass', `${name} took server ${server.read.id}`, { evidence });
  }
  if (node.read.instance === server.read.id && server.read.hypervisor === node.read.uuid) {
    return result('pass', `${name} takes server ${server.read.id}`, { evidence });
  }
  const { status, task, created } = server.read;
  const stands = `Server ${server.read.id} is ${status}${task === null ? '' : ` (${task})`}, and node ${name} does not have it`;
  const most = Math.min(SCHEDULED_SECONDS, plan.bounds.deploy);
  if (isOver(created, most)) {
    const stuck: CloudFinding = {
      message: `${stands} after ${most} s.`,
      correction:
        'Look whether nova-conductor, nova-scheduler and the nova-compute with the Ironic driver work off their queues: openstack compute service list, and their logs.',
      faultDomain: 'openstack',
    };
    return wrong(name, [stuck], 'openstack', evidence);
  }
  throw notYet('CHECK_TIMEOUT', `${stands} yet.`, LOOK_MS);
});

/** It has the time that a server takes to be on its node: what is stuck is told before that is over. */
export const serverRequested: CheckFunction = {
  ...requested,
  bounds: (_inventory, { attempt, total }) => ({ attempt, total: Math.max(total, WHOLE_SECONDS) }),
};

/**
 * What became of a server that an earlier attempt has asked for, where Nova lists none: no second one is asked for
 * while the first may still come, or is there.
 */
async function goneOf(cloud: OpenStack, context: CheckContext): Promise<CloudFinding | undefined> {
  const noted = await notedOf(context);
  if (mayStillCome(noted)) {
    throw notYet('CHECK_TIMEOUT', 'A server may still come of the request that was not answered.', LOOK_MS);
  }
  if (noted.request?.outcome !== 'accepted') return undefined;
  for (const id of noted.ids) {
    const there = await serverById(cloud, id);
    if (there) throw notYet('CHECK_TIMEOUT', `Server ${id} is ${there.status}, and is not listed.`, LOOK_MS);
  }
  return {
    message: `Server ${noted.ids.join(', ')} was accepted, and is gone: somebody has deleted it.`,
    correction: 'Look who did it (the API log of Nova), and resume the run.',
    faultDomain: 'orchestrator',
  };
}

/** One request. What it came to is noted beside it: until then, whoever finds no server has to wait for one. */
async function ask(
  cloud: OpenStack,
  plan: Plan,
  { flavor, image, network }: Parts,
  context: CheckContext,
): Promise<CloudFinding | undefined> {
  const mark = markOf(context);
  const server = {
    name: mark.name,
    flavorRef: flavor.id,
    imageRef: image,
    networks: [{ uuid: network }],
    metadata: metadataOf(mark),
    ...(plan.configDrive ? { config_drive: true } : {}),
  };
  const note = (answer: Json) =>
    context.evidence('request', { asked: `POST /servers: ${JSON.stringify(server)}`, answer });
  await note({ outcome: 'unknown', at: new Date().toISOString() });
  try {
    const answer = await cloud.json('compute', '/v2.1/servers', { method: 'POST', body: { server } });
    const id = text(field(field(answer, 'server'), 'id'));
    if (id === '')
      throw fail('OPENSTACK_ANSWER_INVALID', 'Nova: POST /v2.1/servers is answered without an id.');
    await note({ outcome: 'accepted', id });
    return undefined;
  } catch (error) {
    if (!(error instanceof RackwrightError)) throw error;
    const { status, said } = error.failure.details ?? {};
    const refused = judgeRefusal(status, typeof said === 'string' ? said : '');
    // An answer of its own means that there is no server; that there was none leaves it open.
    if (typeof status === 'number' && status < 500) await note({ outcome: 'refused', status });
    if (refused === undefined) throw error;
    return refused;
  }
}
