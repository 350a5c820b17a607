/** Who has to fix a failure. A failure without a fault domain is a bug of ours. */
export const FAULT_DOMAINS = [
  'contract',
  'orchestrator',
  'control-host',
  'kubernetes',
  'storage',
  'openstack',
  'ironic',
  'image-supply',
  'media-publisher',
  'management-network',
  'bmc',
  'firmware',
  'hardware',
  'provisioning-network',
  'deploy-agent',
  'first-boot',
  'tenant-network',
  'console',
  'user-access',
] as const;

export type FaultDomain = (typeof FAULT_DOMAINS)[number];
