import { fail, notYet } from '../../../core/errors/failure.ts';
import { GOALS } from '../../../core/ironic/goals.ts';
import {
  correction,
  creation,
  rootDeviceHints,
  type IronicNode,
  type WantedNode,
} from '../../../core/ironic/node.ts';
import type { JsonObject } from '../../../core/json.ts';
import { isSecretRef } from '../../../contracts/inventory/primitives.ts';
import { pursue } from './pursue.ts';
import { ensurePower } from './power.ts';
import { findNode, step, type Session } from './session.ts';

/** Creates the node and its ports in Ironic, or makes them what the contract says. */
export const register = step(async (session) => {
  const { ironic, context } = session;
  const wanted = await wantedNode(session);
  const found = await findNode(session);
  const node = found ?? (await ironic.createNode(creation(wanted)));
  const patch = found === undefined ? [] : correction(wanted, found);
  if (patch.length > 0) await ironic.patchNode(node.uuid, patch);
  const ports = await ensurePorts(session, node);
  const what = found === undefined ? 'created' : patch.length > 0 ? 'corrected' : 'is as the contract has it';
  return {
    summary: `Node ${node.uuid} ${what} in Ironic (driver ${wanted.driver}); ${ports}.`,
    data: { ironic: { uuid: node.uuid, driver: wanted.driver } },
    evidence: [
      await context.evidence('ironic-node', {
        asked: `GET /v1/nodes/${wanted.name}`,
        of: `Ironic at API version ${await ironic.version()}`,
        answer: shown(await findNode(session)),
      }),
    ],
  };
});

/** Has Ironic verify that it can manage the node, and takes it out of what can be allocated. */
export const manage = step(async (session) => {
  const { node } = await pursue(session, GOALS.manageable);
  return { summary: `Node ${node.uuid} is manageable in Ironic.` };
});

/** Makes the node available in Ironic. */
export const provide = step(async (session) => {
  const { node } = await pursue(session, GOALS.available);
  return { summary: `Node ${node.uuid} is available in Ironic.` };
});

/** Powers the node off and removes it from Ironic. */
export const unregister = step(async (session) => {
  const node = await findNode(session);
  if (node === undefined) return { summary: 'Ironic has no such node (any more).', data: { power: 'off' } };
  await ensurePower(session, 'off');
  await session.ironic.deleteNode(node.uuid);
  if ((await findNode(session)) !== undefined) {
    throw notYet('IRONIC_STILL_WORKING', `Ironic still has node ${node.uuid} after its removal.`, 2000);
  }
  return { summary: `Node ${node.uuid} is off and removed from Ironic.`, data: { power: 'off' } };
});

async function ensurePorts({ ironic, context }: Session, node: IronicNode): Promise<string> {
  let made = 0;
  for (const { mac } of context.node.ports) {
    const [port] = await ironic.portsWith(mac);
    if (port !== undefined && port.nodeUuid !== node.uuid) {
      throw fail(
        'IRONIC_PORT_TAKEN',
        `Port ${mac} belongs to node ${port.nodeUuid} in Ironic, not to ${node.uuid}.`,
      );
    }
    if (port !== undefined) continue;
    await ironic.createPort(node.uuid, mac);
    made++;
  }
  const count = context.node.ports.length;
  return count === 0 ? 'the contract names no ports' : `${count} ports, ${made} of them new`;
}

async function wantedNode({ context }: Session): Promise<WantedNode> {
  const { node, input } = context;
  if (node.ironic === undefined) throw fail('CONTRACT_INVALID', `Node ${node.name} has no \`ironic\`.`);
  const driverInfo: JsonObject = {};
  const secretKeys: string[] = [];
  for (const [key, value] of Object.entries(node.ironic.driverInfo)) {
    if (isSecretRef(value)) secretKeys.push(key);
    driverInfo[key] = isSecretRef(value) ? await context.secret(value) : value;
  }
  const interfaces = Object.entries(node.ironic.interfaces ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return {
    name: node.name,
    driver: node.ironic.driver,
    owner: { site: input.ref.site, node: input.ref.node },
    driverInfo,
    secretKeys,
    interfaces: Object.fromEntries(interfaces),
    properties: {
      cpu_arch: node.architecture,
      ...(node.rootDevice === undefined ? {} : { root_device: rootDeviceHints(node.rootDevice) }),
    },
    capabilities: { boot_mode: node.bootMode },
    resourceClass: node.resourceClass,
  };
}

/** What is kept of a node as evidence: nothing that could hold a secret. */
function shown(node: IronicNode | undefined): JsonObject {
  if (node === undefined) return {};
  const { uuid, name, driver, provisionState, interfaces, properties, resourceClass } = node;
  return { uuid, name, driver, provisionState, interfaces: { ...interfaces }, properties, resourceClass };
}
