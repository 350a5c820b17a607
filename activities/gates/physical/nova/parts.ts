import { notYet } from '../../../../core/errors/failure.ts';
import type { BareNode } from '../../../../core/openstack/bare-node.ts';
import { judgeCandidates, judgeFlavor, judgeQuota, type Flavor } from '../../../../core/openstack/flavors.ts';
import type { CloudFinding } from '../../../../core/openstack/finding.ts';
import { field, items, text } from '../../../../core/openstack/read.ts';
import type { OpenStack } from '../../../openstack/client.ts';
import { imagesNamed } from '../../../openstack/glance.ts';
import { candidatesOf, flavorNamed } from './cloud.ts';
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
