import { fail } from '../../../core/errors/failure.ts';
import { compareHardware, type Comparison, type Found } from '../../../core/ironic/compare.ts';
import { GOALS } from '../../../core/ironic/goals.ts';
import type { IronicNode } from '../../../core/ironic/node.ts';
import { stateKind } from '../../../core/ironic/states.ts';
import { driftText } from '../../../core/redfish/drift.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { pursue } from './pursue.ts';
import { step, theNode, type Session } from './session.ts';

const INSPECTABLE = ['manageable', 'inspect failed'];

/** Has Ironic inspect the node; one that is available or active is not touched: what Ironic knows is read. */
export const inspect = step(async (session) => {
  const { context, ironic } = session;
  const before = await theNode(session);
  const fresh = INSPECTABLE.includes(before.provisionState) || stateKind(before.provisionState) !== 'stable';
  let node = before;
  if (fresh) {
    node = (await pursue(session, GOALS.inspected)).node;
    // A later visit to this step inspects again: without its marker the request is a new one.
    await ironic.patchNode(node.uuid, [{ op: 'remove', path: '/extra/rackwright/operation' }]);
  }
  const inventory = await ironic.inventory(node.uuid);
  const evidence = await context.evidence('inspection', {
    asked: `inspection through ${node.interfaces['inspect'] ?? 'Ironic'}`,
    of: `Ironic node ${node.uuid}`,
    answer: { fresh, properties: node.properties, inventory: inventory ?? null },
  });
  const how = fresh
    ? `Inspected by Ironic (inspect interface ${node.interfaces['inspect']})`
    : `Ironic inspects no node that is ${before.provisionState}: read what it knew`;
  const found = inventory === undefined ? '; it stored no inventory' : '';
  return { summary: `${how}${found}.`, evidence: [evidence] };
});

/** Compares what inspection found with the contract. */
export const compare = step(async (session) => {
  const { context, ironic } = session;
  const node = await theNode(session);
  const { expect } = context.node.machineType;
  const macs = context.node.ports.map(({ mac }) => mac);
  const result = compareHardware({ ...expect, macs }, found(node, await ironic.inventory(node.uuid)));
  const evidence = [await keep(session, node, result)];
  const { differences, compared, skipped } = result;
  const gaps = skipped.length === 0 ? '' : ` Not compared, for Ironic does not tell: ${skipped.join(', ')}.`;
  if (differences.length > 0) {
    const summary = `Ironic found ${differences.join('; ')}.`;
    if (context.input.ref.kind === 'inspect')
      return { summary: summary + gaps, data: { drift: true, drifted: driftText(differences) }, evidence };
    throw fail('IRONIC_HARDWARE_DIFFERS', summary + gaps, { details: { differences: [...differences] } });
  }
  const same =
    compared.length === 0 ? 'Nothing could be compared.' : `As the contract has it: ${compared.join(', ')}.`;
  return { summary: same + gaps, data: { drift: false }, evidence };
});

const keep = ({ context }: Session, node: IronicNode, { differences, compared, skipped }: Comparison) =>
  context.evidence('comparison', {
    asked: 'inspection compared with the contract',
    of: `Ironic node ${node.uuid}`,
    answer: { differences: [...differences], compared: [...compared], skipped: [...skipped] },
  });

const number = (value: Json | undefined): number | undefined => {
  const given = typeof value === 'string' ? Number(value) : value;
  return typeof given === 'number' && Number.isFinite(given) ? given : undefined;
};
const objects = (value: Json | undefined): JsonObject[] | undefined =>
  Array.isArray(value)
    ? value.filter(
        (each): each is JsonObject => typeof each === 'object' && each !== null && !Array.isArray(each),
      )
    : undefined;
const field = (value: Json | undefined, name: string): Json | undefined =>
  objects([value ?? null])?.[0]?.[name];

/** From the inventory that inspection stored, else from the node's properties. */
function found(node: IronicNode, inventory: JsonObject | undefined): Found {
  return {
    cpus: number(field(inventory?.['cpu'], 'count')) ?? number(node.properties['cpus']),
    memoryMiB: number(field(inventory?.['memory'], 'physical_mb')) ?? number(node.properties['memory_mb']),
    macs: objects(inventory?.['interfaces'])?.map((nic) => String(nic['mac_address'] ?? '').toLowerCase()),
    disks: objects(inventory?.['disks'])?.map((disk) => number(disk['size']) ?? 0),
  };
}
