import { setCurrentDetails, upsertMemo, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { nodeDetails, type RefusedMessage } from '../core/details.ts';
import { flagsOf, healthOf, powerOf, type NodeRecord } from '../core/node.ts';
import { attribute } from './search-attributes.ts';

/** A node as the Web UI and the lists show it. */
export class NodeView {
  #published = '';

  /** Costs no event of the history, so it is called with every change. */
  show(record: NodeRecord, refused: readonly RefusedMessage[]): void {
    setCurrentDetails(nodeDetails(record, refused, workflowInfo().namespace));
  }

  /** Search attributes and memo: two events, so only when something that they tell has changed. */
  publish(record: NodeRecord): void {
    const { site, node, phase, owner, image, operation, lastFailure, powerChange, unreachable } = record;
    const flags = flagsOf(record);
    const domain = operation?.failure?.faultDomain ?? lastFailure?.faultDomain ?? null;
    const requestId = operation?.requestId ?? null;
    const memo = {
      phase,
      owner,
      image,
      power: powerOf(record),
      health: healthOf(record),
      flags,
      operation: requestId,
      kind: operation?.kind ?? null,
      // Only once there was something: a memo keeps what it is not told anew.
      ...(powerChange === undefined ? {} : { powerChange: powerChange && { ...powerChange } }),
      ...(unreachable === undefined ? {} : { unreachable: unreachable && { ...unreachable } }),
    };
    const published = JSON.stringify([memo, domain]);
    if (published === this.#published) return;
    this.#published = published;
    upsertSearchAttributes([
      attribute('RackwrightSite', site),
      attribute('RackwrightNode', node),
      attribute('RackwrightPhase', phase),
      attribute('RackwrightOperation', requestId),
      attribute('RackwrightFaultDomain', domain),
      attribute('RackwrightTenant', owner),
      attribute('RackwrightFlags', flags),
    ]);
    upsertMemo(memo);
  }
}
