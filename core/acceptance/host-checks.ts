import { check, type Check } from './check.ts';

const BMC_BOUNDS = { attempt: 300, total: 600 };

/** Gate 1: what the hosts of the control plane are, and what they and the worker reach before anything is built. */
export const HOST_CHECKS: readonly Check[] = [
  check({
    id: 'bmc-access',
    gate: 1,
    title: 'BMCs answer, as the contract describes them',
    shows:
      "Each node's BMC is reached under the certificate policy of the contract, takes its credentials, and shows the one system that is meant.",
    from: 'worker',
    faultDomain: 'management-network',
    bounds: BMC_BOUNDS,
  }),
];
