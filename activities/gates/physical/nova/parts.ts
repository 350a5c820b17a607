import { notYet } from '../../../../core/errors/failure.ts';
import type { BareNode } from '../../../../core/openstack/bare-node.ts';
import { judgeCarrier } from '../../../../core/openstack/build.ts';
import {
  judgeOthers,
  judgeFlavor,
  judgeQuota,
  notOffered,
  type Flavor,
} from '../../../../core/openstack/flavors.ts';
import type { CloudFinding } from '../../../../core/openstack/finding.ts';
import { field, items, text } from '../../../../core/openstack/read.ts';
import type { OpenStack } from '../../../openstack/client.ts';
import { imagesNamed } from '../../../openstack/glance.ts';
import { candidatesOf, flavorNamed, hypervisorOf } from './cloud.ts';
import { isOver, type Plan } from './plan.ts';

const AGAIN_MS = 5000;
/** Several rounds of nova-compute, which looks at its nodes once a minute. */
export const NOTICED_SECONDS = 240;

/** What a server is made of. */
export interface Parts {
  readonly flavor: Flavor;
  readonly image: string;
  readonly network: string;
}

/** What the server is made of, by id; or why it cannot be made of that. */
export async function partsOf(cloud: OpenStack, plan: Plan, node: BareNode): Promise<Parts | CloudFinding[]> {
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
    found.push(...ofFlavor);
    if (candidates.includes(node.uuid)) {
      found.push(...judgeOthers(flavor, node, candidates));
    } else {
      const why = await whyNotOffered(cloud, plan, node);
      if (why) found.push(why);
      else if (found.length === 0) {
        throw notYet('CHECK_TIMEOUT', `Placement does not offer node ${node.name} yet.`, AGAIN_MS);
      }
    }
    found.push(...judgeQuota(limits, flavor, cloud.project));
  }
  return found.length > 0 || flavor === undefined || typeof image !== 'string' || typeof network !== 'string'
    ? found
    : { flavor, image, network };
}

/** Why Placement does not offer the node; undefined while it may yet, since its nova-compute works. */
async function whyNotOffered(
  cloud: OpenStack,
  plan: Plan,
  node: BareNode,
): Promise<CloudFinding | undefined> {
  const hypervisor = await hypervisorOf(cloud, node.uuid);
  const carried = judgeCarrier(node, hypervisor);
  // A node that is new to Nova has no nova-compute at first.
  const mayCome = hypervisor === undefined || carried === undefined;
  return mayCome && isBack(node, plan) ? undefined : (carried ?? notOffered(plan.flavor, node));
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
