import { check, type Check } from './check.ts';

const HOUR = 3600;
/** As long as a deployment and an erasure may take by themselves, and a little more. */
const DEPLOY = { attempt: 60, total: 9 * HOUR };
const RELEASE = { attempt: 60, total: 80 * HOUR };

/** Gate 7: one dedicated server, given to its user by the path that users take (Nova, where there is a cloud), and taken back. */
export const PHYSICAL_CHECKS: readonly Check[] = [
  check({
    id: 'node-available',
    gate: 7,
    title: 'The dedicated node is available',
    shows:
      'The node of `acceptance` is available: free, in service, nothing left on it; in a cloud also of the resource class of the contract, and its interfaces validate. One in use is not touched.',
    from: 'worker',
    faultDomain: 'contract',
  }),
  check({
    id: 'server-requested',
    gate: 7,
    title: 'A server is requested, and that node takes it',
    shows:
      'A deployment of the image of `acceptance` is accepted by the intended node. In a cloud: flavor, image, network and quota are there, the flavor fits that node alone, and the server that is asked of Nova is scheduled to it.',
    from: 'worker',
    faultDomain: 'orchestrator',
    requirements: ['CNP01'],
    needs: ['node-available'],
  }),
  check({
    id: 'agent-called-back',
    gate: 7,
    title: 'The deploy agent boots and calls back',
    shows:
      'The node boots the deploy media, and its agent reaches the gateway; in a cloud Ironic, as its node shows.',
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
      'The agent fetches the image, writes it to the root device, and what it wrote has the digest of what is promoted, or else of the contract; in a cloud, Ironic says that the deployment is made.',
    from: 'deploy agent',
    faultDomain: 'image-supply',
    requirements: ['BOOT01'],
    needs: ['server-requested'],
    bounds: DEPLOY,
  }),
  check({
    id: 'first-boot',
    gate: 7,
    title: 'The guest boots and calls home',
    shows:
      'The server boots from its disk, and the guest reports itself to the gateway. In a cloud: the console’s log says what the contract wants it to say; where the contract wants nothing of it, the guest answers at its address.',
    from: 'guest',
    faultDomain: 'first-boot',
    requirements: ['BOOT01'],
    needs: ['server-requested'],
    bounds: DEPLOY,
  }),
  check({
    id: 'guest-reached',
    gate: 7,
    title: 'The guest is what was promised, and is reached by its user',
    shows:
      'What the guest sees of its hardware and networks is what its machine type promises (in a cloud, nobody asks the guest), and its ports answer from where its user is.',
    from: 'where `handOver` of the machine type, or `acceptance.cloud.from`, says',
    faultDomain: 'tenant-network',
    needs: ['server-requested'],
    bounds: DEPLOY,
  }),
  check({
    id: 'server-active',
    gate: 7,
    title: 'The server is active',
    shows:
      'The deployment passes, and the node is active with the image and the owner that were asked for. In a cloud: ACTIVE in Nova, and active in Ironic with that server.',
    from: 'worker',
    faultDomain: 'orchestrator',
    requirements: ['CNP01', 'CNP04'],
    needs: ['server-requested'],
    bounds: DEPLOY,
  }),
  check({
    id: 'console',
    gate: 7,
    title: 'The console shows the server',
    shows:
      'The console of the node can be read, and something was written to it since the deployment began. In a cloud: Nova gives a console of the server, and its proxy answers.',
    from: 'worker',
    faultDomain: 'console',
    requirements: ['CNP06'],
    needs: ['server-active'],
  }),
  check({
    id: 'states-captured',
    gate: 7,
    title: 'The states before the clean-up are kept',
    shows:
      'The record of the node, the report of the deployment, and power, boot and media of the BMC are kept as evidence; in a cloud server, node, ports, allocations and services.',
    from: 'worker',
    faultDomain: 'orchestrator',
    stage: 'capture',
  }),
  check({
    id: 'server-released',
    gate: 7,
    title: 'The server is taken back, and the node is available again',
    shows:
      'The node is released and erased, available and off as before, with no owner, no residue, and no media of ours in its BMC. In a cloud: the server is deleted and gone, no port and no allocation of it is left, and Ironic has cleaned the node.',
    from: 'worker',
    faultDomain: 'orchestrator',
    requirements: ['CNP01', 'SEC21'],
    stage: 'cleanup',
    bounds: RELEASE,
  }),
];
