import { check, type Check } from './check.ts';

const HOUR = 3600;
/** As long as a deployment and an erasure may take by themselves, and a little more. */
const DEPLOY = { attempt: 60, total: 9 * HOUR };
const RELEASE = { attempt: 60, total: 80 * HOUR };

/** Gate 7: one dedicated server, given to its user by the path that users take, and taken back. */
export const PHYSICAL_CHECKS: readonly Check[] = [
  check({
    id: 'node-available',
    gate: 7,
    title: 'The dedicated node is available',
    shows:
      'The node of `acceptance` is available: free, in service, nothing left on it. One in use is not touched.',
    from: 'worker',
    faultDomain: 'contract',
  }),
  check({
    id: 'server-requested',
    gate: 7,
    title: 'A server is requested, and that node takes it',
    shows: 'A deployment of the image of `acceptance` is accepted by the intended node.',
    from: 'worker',
    faultDomain: 'orchestrator',
    needs: ['node-available'],
  }),
  check({
    id: 'agent-called-back',
    gate: 7,
    title: 'The deploy agent boots and calls back',
    shows: 'The node boots the deploy media, and its agent reaches the gateway.',
    from: 'deploy agent',
    faultDomain: 'deploy-agent',
    needs: ['server-requested'],
    bounds: DEPLOY,
  }),
  check({
    id: 'image-written',
    gate: 7,
    title: 'The image is written and verified',
    shows:
      'The agent fetches the image, writes it to the root device, and what it wrote has the digest of the contract.',
    from: 'deploy agent',
    faultDomain: 'image-supply',
    needs: ['server-requested'],
    bounds: DEPLOY,
  }),
  check({
    id: 'first-boot',
    gate: 7,
    title: 'The guest boots and calls home',
    shows: 'The server boots from its disk, and the guest reports itself to the gateway.',
    from: 'guest',
    faultDomain: 'first-boot',
    needs: ['server-requested'],
    bounds: DEPLOY,
  }),
  check({
    id: 'guest-reached',
    gate: 7,
    title: 'The guest is what was promised, and is reached by its user',
    shows:
      'What the guest sees of its hardware and networks is what its machine type promises, and its ports answer from where its user is.',
    from: 'where `handOver` of the machine type says',
    faultDomain: 'tenant-network',
    needs: ['server-requested'],
    bounds: DEPLOY,
  }),
  check({
    id: 'server-active',
    gate: 7,
    title: 'The server is active',
    shows: 'The deployment passes, and the node is active with the image and the owner that were asked for.',
    from: 'worker',
    faultDomain: 'orchestrator',
    needs: ['server-requested'],
    bounds: DEPLOY,
  }),
  check({
    id: 'console',
    gate: 7,
    title: 'The console shows the server',
    shows: 'The console of the node can be read, and something was written to it since the deployment began.',
    from: 'worker',
    faultDomain: 'console',
    needs: ['server-active'],
  }),
  check({
    id: 'states-captured',
    gate: 7,
    title: 'The states before the clean-up are kept',
    shows:
      'The record of the node, the report of the deployment, and power, boot and media of the BMC are kept as evidence.',
    from: 'worker',
    faultDomain: 'orchestrator',
    stage: 'capture',
  }),
  check({
    id: 'server-released',
    gate: 7,
    title: 'The server is taken back, and the node is available again',
    shows:
      'The node is released and erased, available and off as before, with no owner, no residue, and no media of ours in its BMC.',
    from: 'worker',
    faultDomain: 'orchestrator',
    stage: 'cleanup',
    bounds: RELEASE,
  }),
];
