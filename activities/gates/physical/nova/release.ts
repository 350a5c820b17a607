import { notYet, RackwrightError } from '../../../../core/errors/failure.ts';
import { blame } from '../../../../core/ironic/blame.ts';
import { stateKind } from '../../../../core/ironic/states.ts';
import { judgeLeft, type BareNode } from '../../../../core/openstack/bare-node.ts';
import type { CloudFinding } from '../../../../core/openstack/finding.ts';
import { field, items } from '../../../../core/openstack/read.ts';
import { deletingSince, isMarked, type CloudServer, type Mark } from '../../../../core/openstack/servers.ts';
import type { OpenStack } from '../../../openstack/client.ts';
import type { CheckFunction } from '../../check.ts';
import { withOpenStack } from '../../openstack/session.ts';
import { noServer, result, wrong } from '../server.ts';
import { marksOf, nodeNamed, refuseBlind, serverById, serversOf } from './cloud.ts';
import { leftOf } from './left.ts';
import { mayStillCome, notedOf, type Noted } from './noted.ts';
import { deleteBound, isOver } from './plan.ts';

const LOOK_MS = 5000;

/**
 * Deletes what this run of the gate has asked for, and those before it whose clean-up did not come to its end, whatever
 * became of it, and looks whether the node is as free as before. What is not marked as its own is left alone, and nothing is done to the node but by Nova.
 */
export const serverReleased: CheckFunction = {
  skip: noServer,
  run: (context) =>
    withOpenStack(context, async (cloud) => {
      const name = context.inventory.acceptance?.node;
      if (name === undefined) return result('skipped', 'no node is dedicated');
      const marks = marksOf(context);
      const seconds = deleteBound(context.inventory);
      const found = await Promise.all(marks.map((mark) => serversOf(cloud, mark)));
      const servers = found.flat();
      for (const { read } of servers) {
        const asked = `server ${read.id}, before it is deleted`;
        await context.evidence(`taken-${read.id}`, {
          asked,
          answer: { id: read.id, seen: new Date().toISOString() },
        });
      }
      const stuck: CloudFinding[] = [];
      for (const { read } of servers) stuck.push(...(await remove(cloud, read, marks, seconds)));
      if (stuck.length > 0) return wrong(name, stuck, 'openstack');
      const gone = servers.map(({ read }) => read.id).join(', ');
      if (servers.length > 0) throw notYet('CHECK_TIMEOUT', `Server ${gone} is being deleted.`, LOOK_MS);
      const noted = await notedOf(context);
      const ids = [...noted.owed, ...noted.ids];
      if (ids.length === 0) return unasked(noted);
      await refuseUnlisted(cloud, ids, marks);
      const seen = await nodeNamed(cloud, name);
      if (!seen) {
        await refuseBlind(cloud, name);
        return wrong(name, [lost(name)], 'ironic');
      }
      const { read: node } = seen;
      if (node.instance !== null && ids.includes(node.instance)) {
        // A server whose nova-compute is down is deleted without it: nobody tells Ironic.
        if (isOver(noted.lastSeen ?? node.since, seconds)) return wrong(name, [kept(node)], 'openstack');
        throw notYet('CHECK_TIMEOUT', `Node ${name} still has server ${node.instance}.`, LOOK_MS);
      }
      const unfit = cleaning(node, seconds);
      const left = await leftOf(cloud, { ids, left: noted.left }, (port, id) =>
        context.evidence(`left-${id}`, {
          asked: `port ${id}, before it is deleted`,
          answer: { leftPort: { ...port } },
        }),
      );
      const wrongs = [...(unfit ? [unfit] : judgeLeft(node, noted.before)), ...left.found];
      const evidence = await context.evidence(name, {
        asked: 'the node, and the ports and allocations of the server, after it was deleted',
        answer: { node: seen.shown, ...left.shown },
      });
      if (wrongs.length > 0) return wrong(name, wrongs, 'ironic', [evidence]);
      return result('pass', `${name} is available again`, { evidence: [evidence] });
    }),
};

/** Throws where Nova still has a server that it lists no more: one whose end is put off is ended now. */
async function refuseUnlisted(
  cloud: OpenStack,
  ids: readonly string[],
  marks: readonly Mark[],
): Promise<void> {
  for (const id of ids) {
    const there = await serverById(cloud, id);
    if (!there) continue;
    if (there.status === 'SOFT_DELETED' && isOurs(there, marks)) {
      const path = `/v2.1/servers/${encodeURIComponent(id)}/action`;
      await cloud.json('compute', path, { method: 'POST', body: { forceDelete: null } });
    }
    throw notYet('CHECK_TIMEOUT', `Server ${id} is ${there.status}, and is not listed.`, LOOK_MS);
  }
}

const isOurs = (server: CloudServer, marks: readonly Mark[]): boolean =>
  marks.some((mark) => isMarked(server, mark));

function unasked(noted: Noted) {
  if (mayStillCome(noted)) {
    throw notYet('CHECK_TIMEOUT', 'A server may still come of the request that was not answered.', LOOK_MS);
  }
  return result('skipped', 'there was no server');
}

const kept = ({ name, state, instance }: BareNode): CloudFinding => ({
  message: `Server ${instance} is deleted in Nova, and node ${name} still has it, and is ${state}.`,
  correction: `openstack baremetal node undeploy ${name}; then see that the nova-compute that has the node is up (openstack compute service list): started again, it leaves alone what was deleted without it.`,
  faultDomain: 'openstack',
});

const lost = (name: string): CloudFinding => ({
  message: `Ironic has no node ${name} any more.`,
  correction: 'Look who removed it, and enrol it again.',
  faultDomain: 'ironic',
});

/** Asks for the end of a server, once it is seen to be ours by its id; what does not end is told. */
async function remove(
  cloud: OpenStack,
  { id }: CloudServer,
  marks: readonly Mark[],
  seconds: number,
): Promise<CloudFinding[]> {
  const now = await serverById(cloud, id);
  if (now === undefined || !isOurs(now, marks)) return [];
  const path = `/v2.1/servers/${encodeURIComponent(id)}`;
  const actions = await cloud.find('compute', `${path}/os-instance-actions`);
  const since = deletingSince(items(field(actions, 'instanceActions')));
  if (isOver(since, seconds)) {
    return [
      {
        message: `Server ${id} has been deleted since ${since}, and is still there: ${now.status}${now.task === null ? '' : ` (${now.task})`}${now.fault === null ? '' : `, ${now.fault}`}.`,
        correction: `Look whether the nova-compute that has it is up (openstack compute service list), and into its log; then: openstack server delete --force ${id}`,
        faultDomain: 'openstack',
      },
    ];
  }
  if (now.task === 'deleting') return [];
  try {
    await cloud.json('compute', path, { method: 'DELETE' });
  } catch (error) {
    const status = error instanceof RackwrightError ? error.failure.details?.['status'] : undefined;
    if (status === 404) return [];
    if (status !== 409) throw error;
    const refused = await serverById(cloud, id);
    if (refused?.locked) return [locked(refused)];
    // It may have ended by itself, or somebody else may be deleting it: no other conflict ends by being waited for.
    if (refused && refused.task !== 'deleting') throw error;
  }
  return [];
}

const locked = ({ id, lockedReason }: CloudServer): CloudFinding => ({
  message: `Nova does not delete server ${id}: somebody has locked it${lockedReason === null ? '' : ` (${lockedReason})`}.`,
  correction: `openstack server unlock ${id}, then resume the run.`,
  faultDomain: 'openstack',
});

/** Waits for what Ironic does to the node after a server; what ended, or does not end, otherwise is told. */
function cleaning(node: BareNode, seconds: number): CloudFinding | undefined {
  const kind = stateKind(node.state);
  if (kind === 'stable') return undefined;
  const failed = kind === 'failed' || kind === 'held';
  if (!failed && !isOver(node.since, seconds)) {
    throw notYet('CHECK_TIMEOUT', `Node ${node.name} is ${node.state}.`, LOOK_MS);
  }
  const { name, lastError } = node;
  return {
    message: `Node ${name} is ${node.state}${failed ? '' : ` since ${node.since}`}${lastError === null ? '' : `: ${lastError}`}`,
    correction: `Correct what it names, then: openstack baremetal node maintenance unset ${name}; openstack baremetal node manage ${name}; openstack baremetal node provide ${name}`,
    faultDomain: blame(lastError),
  };
}
