import { fail, notYet, RackwrightError } from '../../../../core/errors/failure.ts';
import type { Json } from '../../../../core/json.ts';
import { validationProblems } from '../../../../core/ironic/validation.ts';
import { judgeNode, type BareNode } from '../../../../core/openstack/bare-node.ts';
import { judgePlace, judgeRefusal } from '../../../../core/openstack/build.ts';
import { judgeCandidates, judgeFlavor, judgeQuota, type Flavor } from '../../../../core/openstack/flavors.ts';
import type { CloudFinding } from '../../../../core/openstack/finding.ts';
import { field, items, text } from '../../../../core/openstack/read.ts';
import { metadataOf } from '../../../../core/openstack/servers.ts';
import type { OpenStack } from '../../../openstack/client.ts';
import { imagesNamed } from '../../../openstack/glance.ts';
import type { CheckContext, CheckFunction } from '../../check.ts';
import { validationOf } from '../../ironic/validation.ts';
import { result, wrong } from '../server.ts';
import {
  candidatesOf,
  flavorNamed,
  markOf,
  nodeNamed,
  refuseBlind,
  refuseHidden,
  serverById,
  serversOf,
} from './cloud.ts';
import { mayStillCome, notedOf } from './noted.ts';
import { isOver, ofPlan, ofWholePlan, type Plan } from './plan.ts';
import { causeOf } from './standing.ts';

const LOOK_MS = 2000;
const AGAIN_MS = 5000;
/** Several rounds of nova-compute, which looks at its nodes once a minute. */
const NOTICED_SECONDS = 240;
/** How long it may take until a node has the server. */
const SCHEDULED_SECONDS = 600;
/** With what comes before and after. */
const WHOLE_SECONDS = NOTICED_SECONDS + SCHEDULED_SECONDS + 120;

const noNode = (name: string): CloudFinding => ({
  message: `Ironic has no node ${name}, which the contract dedicates to acceptance.`,
  correction: `Enrol it (openstack baremetal node create --name ${name} …), or correct \`acceptance.node\`.`,
  faultDomain: 'contract',
});

/** The dedicated node is free in Ironic, of its class, and validates. What it is like is kept: so it has to be again. */
export const nodeAvailable = ofWholePlan(async (cloud, plan, context) => {
  const { name, resourceClass } = plan.node;
  const seen = await nodeNamed(cloud, name);
  if (!seen) {
    await refuseBlind(cloud, name);
    return wrong(name, [noNode(name)], 'contract');
  }
  const ironic = { read: (path: string) => cloud.json('baremetal', path) };
  const { answer: validation } = await validationOf(ironic, seen.read.uuid);
  const evidence = await context.evidence(name, {
    asked: 'the node in Ironic, and what its interfaces say of themselves, before it is used',
    answer: { node: seen.shown, validation },
  });
  const found = [
    ...judgeNode(seen.read, resourceClass),
    ...validationProblems({ name, hasInstance: seen.read.instance !== null }, validation),
  ];
  if (found.length > 0) return wrong(name, found, 'ironic', [evidence]);
  return result('pass', `${name} is available, and validates`, { evidence: [evidence] });
});

interface Parts {
  readonly flavor: Flavor;
  readonly image: string;
  readonly network: string;
}

/** What the server is made of, by id; or why it cannot be made of that. */
async function partsOf(cloud: OpenStack, plan: Plan, node: BareNode): Promise<Parts | CloudFinding[]> {
  const [flavor, image, network, limits] = await Promise.all([
    flavorNamed(cloud, plan.flavor),
    imageNamed(cloud, plan.image),
    networkNamed(cloud, plan.network),
    cloud.json('compute', '/v2.1/limits'),
  ]);
  const found: CloudFinding[] = [];
  if (typeof image !== 'string') found.push(image);
  if (typeof network !== 'string') found.push(network);
  if (flavor === undefined) {
    found.push({
      message: `The cloud has no flavor ${plan.flavor} that its user sees.`,
      correction: 'Create it (openstack flavor create), or correct `acceptance.flavor`.',
      faultDomain: 'openstack',
    });
  } else {
    const ofFlavor = judgeFlavor(flavor, plan.node.resourceClass ?? node.resourceClass ?? '');
    const candidates = ofFlavor.length > 0 ? [node.uuid] : await candidatesOf(cloud, flavor);
    if (!candidates.includes(node.uuid) && found.length === 0 && isBack(node, plan)) {
      throw notYet('CHECK_TIMEOUT', `Placement does not offer node ${node.name} yet.`, AGAIN_MS);
    }
    const ofPlaces = judgeCandidates(flavor, node, candidates);
    const project = cloud.project;
    found.push(...ofFlavor, ...ofPlaces, ...judgeQuota(limits, flavor, project));
  }
  return found.length > 0 || flavor === undefined || typeof image !== 'string' || typeof network !== 'string'
    ? found
    : { flavor, image, network };
}

async function imageNamed(cloud: OpenStack, name: string): Promise<string | CloudFinding> {
  const found = await imagesNamed(cloud, name);
  const active = found.filter((each) => text(field(each, 'status')) === 'active');
  const [first] = active;
  if (active.length === 1) return text(field(first, 'id'));
  const state = [...new Set(found.map((each) => text(field(each, 'status'))))].join(', ');
  return {
    message:
      active.length > 1
        ? `Glance has ${active.length} images ${name}: which one is meant is not told.`
        : `Glance has no active image ${name}${state === '' ? '' : `; there is one that is ${state}`}.`,
    correction:
      active.length > 1
        ? 'Give each its own name, or delete those that are not meant.'
        : 'Upload it (openstack image create --file …), or correct `acceptance.cloud.image`.',
    faultDomain: 'image-supply',
  };
}

async function networkNamed(cloud: OpenStack, name: string): Promise<string | CloudFinding> {
  const found = await cloud.list('network', `/v2.0/networks?name=${encodeURIComponent(name)}`, 'networks');
  const [first] = found;
  if (found.length !== 1) {
    return {
      message:
        found.length === 0
          ? `Neutron has no network ${name} that the user sees.`
          : `Neutron has ${found.length} networks ${name}: which one is meant is not told.`,
      correction: 'Create it (openstack network create), or correct `acceptance.cloud.network`.',
      faultDomain: 'openstack',
    };
  }
  if (field(first, 'admin_state_up') !== false && items(field(first, 'subnets')).length > 0) {
    return text(field(first, 'id'));
  }
  const off = field(first, 'admin_state_up') === false;
  return {
    message: `Network ${name} ${off ? 'is switched off' : 'has no subnet: a server would get no address'}.`,
    correction: off
      ? `openstack network set --enable ${name}`
      : `openstack subnet create --network ${name} …`,
    faultDomain: 'openstack',
  };
}

/** Nova notices by and by that a node is available again, and frees it in Placement. */
const isBack = ({ since }: BareNode, { bounds }: Plan): boolean =>
  !isOver(since, Math.min(NOTICED_SECONDS, bounds.deploy));

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
