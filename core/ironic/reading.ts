import type { Look } from '../watch.ts';
import { isOurs } from './marker.ts';
import type { IronicNode } from './node.ts';
import { firstWords } from '../whole-words.ts';

/**
 * What Ironic says of a node's power and health. It polls the BMCs itself, and calls what it cannot reach, or could not
 * clean or rescue, a fault; beyond that it knows nothing of the hardware's health.
 */
export function readingOf(node: IronicNode | undefined, owner: { site: string; node: string }): Look {
  if (node === undefined) return 'IRONIC_NODE_MISSING';
  if (!isOurs(node.extra, owner)) return 'IRONIC_NODE_FOREIGN';
  const { powerState, targetPowerState, fault, maintenance, maintenanceReason } = node;
  const power = targetPowerState === null ? /^power (on|off)$/.exec(powerState ?? '')?.[1] : undefined;
  return {
    ...(power === 'on' || power === 'off' ? { power } : {}),
    health: healthOf(fault, maintenance, maintenanceReason),
  };
}

function healthOf(fault: string | null, maintenance: boolean, reason: string | null): string {
  if (fault !== null) return shown(`Ironic: ${fault}`);
  return maintenance ? shown(`in maintenance in Ironic${reason ? `: ${reason}` : ''}`) : 'no fault in Ironic';
}

const shown = (text: string): string => firstWords(text.replaceAll(/\p{Cc}/gu, ' '), 200);
