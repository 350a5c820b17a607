import { RackwrightError } from '../../../../core/errors/failure.ts';
import type { Json } from '../../../../core/json.ts';
import type { BareNode } from '../../../../core/openstack/bare-node.ts';
import { deploymentError, judgeDeployment, judgeError } from '../../../../core/openstack/build.ts';
import type { CloudFinding } from '../../../../core/openstack/finding.ts';
import type { CloudServer } from '../../../../core/openstack/servers.ts';
import type { OpenStack } from '../../../openstack/client.ts';
import type { CheckContext } from '../../check.ts';
import {
  candidatesOf,
  creationWords,
  flavorNamed,
  hypervisorOf,
  markOf,
  nodeNamed,
  refuseHidden,
  serversOf,
} from './cloud.ts';
import type { Plan } from './plan.ts';

/** Why a build failed, and whether the node was being deployed then. */
export interface Cause {
  readonly finding: CloudFinding;
  readonly inDeployment: boolean;
}

interface Broken {
  readonly server: CloudServer;
  readonly node: BareNode | undefined;
  readonly flavor: string;
}

/** Finds out why a server is in ERROR: from Nova, and where that does not say, from Ironic and Placement. */
export async function causeOf(cloud: OpenStack, { server, node, flavor }: Broken): Promise<Cause> {
  const events = await creationWords(cloud, server.id);
  const error = deploymentError({ server, events, node });
  if (error !== undefined) {
    return { finding: judgeDeployment(node?.name ?? 'of acceptance', error), inDeployment: true };
  }
  const hypervisor = node && (await hypervisorOf(cloud, node.uuid));
  const asked = node && (await flavorNamed(cloud, flavor));
  const offered = node && asked ? (await candidatesOf(cloud, asked)).includes(node.uuid) : undefined;
  return { finding: judgeError({ server, events, node, hypervisor, offered, flavor }), inDeployment: false };
}

/** How the server of this run of the gate stands, and its node. */
export interface Standing {
  /** Undefined: there is none, or none any more. */
  readonly server: CloudServer | undefined;
  readonly node: BareNode | undefined;
  /** Why it will not become active. */
  readonly cause: Cause | undefined;
  /** Both as they are kept as evidence. */
  readonly shown: { readonly server: Json; readonly node: Json };
}

/** How long a look is as good as a new one, once it is done. */
const FRESH_MS = 500;

interface Shared {
  readonly look: Promise<Standing>;
  doneAt: number | undefined;
}

/** What is being looked at, by cloud and server. */
const shared = new Map<string, Shared>();

/** Checks that run side by side share a look: each by itself, they would be a burden to a cloud that is slow. */
export async function standingOf(cloud: OpenStack, plan: Plan, context: CheckContext): Promise<Standing> {
  const key = `${context.inventory.openstack?.authUrl} ${markOf(context).name}`;
  const known = shared.get(key);
  if (known && (known.doneAt === undefined || Date.now() - known.doneAt < FRESH_MS)) {
    try {
      return await known.look;
    } catch (error) {
      // The check whose look it was may have been cancelled, which is nothing to this one.
      if (error instanceof RackwrightError) throw error;
    }
  }
  const own: Shared = { look: lookAt(cloud, plan, context), doneAt: undefined };
  shared.set(key, own);
  try {
    return await own.look;
  } finally {
    own.doneAt = Date.now();
    setTimeout(() => shared.get(key) === own && shared.delete(key), FRESH_MS).unref();
  }
}

async function lookAt(cloud: OpenStack, plan: Plan, context: CheckContext): Promise<Standing> {
  const [servers, seen] = await Promise.all([
    serversOf(cloud, markOf(context)),
    nodeNamed(cloud, plan.node.name),
  ]);
  const node = seen?.read;
  const own = servers.find(({ read }) => read.hypervisor === node?.uuid) ?? servers[0];
  const server = own?.read;
  if (server) refuseHidden(server);
  const shown = { server: own?.shown ?? null, node: seen?.shown ?? null };
  const hasFailed =
    server?.status === 'ERROR' || (node?.state === 'deploy failed' && node.instance === server?.id);
  const cause = server && hasFailed ? await causeOf(cloud, { server, node, flavor: plan.flavor }) : undefined;
  return { server, node, cause, shown };
}

/** Whether Ironic has deployed the node for the server. */
export const isDeployed = ({ server, node }: Standing): boolean =>
  server !== undefined && node?.state === 'active' && node.instance === server.id;
