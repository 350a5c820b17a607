import type { FaultDomain } from '../fault-domains.ts';

/** Words of Ironic's errors that say whose failure it is. The first row that matches counts. */
const BLAME: readonly (readonly [RegExp, FaultDomain])[] = [
  [
    /timeout reached while waiting for callback|ramdisk (failed|did not)|agent (is not|did not|failed to)/i,
    'deploy-agent',
  ],
  [
    /checksum|failed to download image|could not (find|fetch|download) image|image .*(not found|href)/i,
    'image-supply',
  ],
  [/\b(ipmi|redfish|bmc|ilo|idrac)\b|power (state|on|off)|set_power_state/i, 'bmc'],
  [/\bneutron\b|\bvif\b|provisioning network|cleaning network/i, 'provisioning-network'],
  [/no suitable device|root device|\b(shred|hdparm|nvme|smartctl)\b|input\/output error/i, 'hardware'],
];

/** Who has to fix what Ironic's `last_error` says; `ironic` where it is not plain. */
export function blame(lastError: string | null): FaultDomain {
  if (lastError === null) return 'ironic';
  return BLAME.find(([words]) => words.test(lastError))?.[1] ?? 'ironic';
}
