import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AcceptanceReport, RunTicket } from '../core/acceptance/report.ts';
import type { RefusedMessage } from '../core/details.ts';
import type { NodeRecord } from '../core/node.ts';
import type { GatewayAccess, OperationEvent, OperationReport, Ticket } from '../core/operations.ts';
import type { Verb } from '../core/verbs.ts';

/** What query `state` of a node answers. */
export interface NodeState extends NodeRecord {
  readonly legal: readonly Verb[];
  readonly refused: readonly RefusedMessage[];
}

export const stateQuery = defineQuery<NodeState>('state');
export const progressQuery = defineQuery<OperationReport>('progress');
export const reportQuery = defineQuery<AcceptanceReport>('report');
export const accessQuery = defineQuery<GatewayAccess>('access');

/** From an operation to its node. */
export const operationEvent = defineSignal<[OperationEvent]>('operation');
/** From the site's watch to a node: what it saw change. */
export const observedSignal = defineSignal<[unknown]>('observed');
/** From a node to its operation: tell again where you stand. */
export const announceSignal = defineSignal('announce');

// Arguments are `unknown`: whoever sends them may send anything, and a handler never throws on it.
export const verbSignal = (verb: Verb) => defineSignal<[unknown]>(verb);
export const verbUpdate = (verb: Verb) => defineUpdate<Ticket, [unknown]>(verb);
/** `resume` and `abort` of an acceptance run. */
export const runUpdate = (verb: 'resume' | 'abort') => defineUpdate<RunTicket, [unknown]>(verb);
export const agentLookupUpdate = defineUpdate<{ heard: boolean }, [unknown]>('agentLookup');
export const agentHeartbeatUpdate = defineUpdate<void, [unknown]>('agentHeartbeat');
export const firstBootUpdate = defineUpdate<void, [unknown]>('firstBoot');

/** What each verb takes, as the Web UI shows it beside the form. */
export const EXAMPLES: { readonly [V in Verb]: string } = {
  enroll: 'Verify the credentials and inspect the node. Example: {}',
  inspect:
    'Read the hardware again, and compare it. Example: {} or {"accept": true}, which takes what is there for right',
  clean: 'Erase and make available. Example: {"erase": "full"}',
  deploy: 'Give the node to an owner with an image. Example: {"image": "ubuntu-24.04", "owner": "team-a"}',
  reimage: 'Write another image, keep the owner. Example: {"image": "ubuntu-24.04"}',
  release: 'Take the node back and erase it. Example: {}',
  service: 'Firmware and settings. Example: {"steps": ["firmware"]}',
  rescue: 'Boot a rescue system. Example: {"sshKeys": ["ssh-ed25519 AAAA..."]}',
  unrescue: 'Boot the own system again. Example: {}',
  power: 'Switch the server on or off, or reboot it. Example: {"state": "on"} (or "off", "reboot")',
  maintenance: 'Set or clear the maintenance flag. Example: {"on": true, "reason": "new fans"}',
  quarantine: 'Never allocate it until unquarantined. Example: {"reason": "flapping link"}',
  unquarantine: 'Let it be allocated again. Example: {"reason": "cable replaced"}',
  adopt: 'Take over a running server without a reboot or a write. Example: {"owner": "team-a"}',
  decommission: 'Erase, power off, take out of service. Example: {}',
  resume: 'Go on with the held operation. Example: {} or {"from": "insert-media"}',
  abort: 'End the operation and make the node safe. Example: {"reason": "wrong image"}',
};
