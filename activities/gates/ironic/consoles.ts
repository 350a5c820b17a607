import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { VANTAGE_WORKER } from '../../../contracts/inventory/vantage.ts';
import { RackwrightError } from '../../../core/errors/failure.ts';
import { hasConsole, type ServedNode } from '../../../core/ironic/service.ts';
import { field } from '../../../core/openstack/read.ts';
import { withOpenStack } from '../openstack/session.ts';
import { eachTarget, foundOf, type CheckContext, type CheckFunction, type Wrong } from '../check.ts';
import { presentNodes } from './nodes.ts';
import { lookAtAddress } from './published.ts';
import { namedNodes, ofCloud, withBareMetal, withoutIronic, type BareMetal } from './session.ts';

const consolesOf = ({ openstack }: Inventory) => openstack?.bareMetal?.consoles;
const pathOf = ({ uuid }: ServedNode): string => `/v1/nodes/${uuid}/states/console`;

/** Console proxies answer; the user of the contract may ask for the console of a node, and a plain user may not. */
export const consoleProxy: CheckFunction = {
  skip: (inventory) =>
    withoutIronic(inventory) ??
    (consolesOf(inventory) === undefined
      ? 'not enabled (`openstack.bareMetal.consoles`)'
      : (consolesOf(inventory)!.proxies ?? []).length + namedNodes(inventory).length === 0
        ? 'the contract names no console proxy, and no node of Ironic'
        : undefined),
  run: (context) =>
    withBareMetal(context, async ({ ironic }) => {
      const { proxies = [] } = consolesOf(context.inventory)!;
      const { present } = await presentNodes(context, ironic);
      const targets = [
        ...proxies.map((name) => ({ name, node: undefined })),
        ...present.map(({ name, node }) => ({ name, node })),
      ];
      const result = await eachTarget(context, 'console', targets, ({ name, node }) =>
        node === undefined
          ? lookAtAddress(context, VANTAGE_WORKER, {
              what: 'consoles',
              url: name,
              from: 'the worker',
              faultDomain: 'console',
              anyAnswer: true,
            })
          : lookAtConsole(context, ironic, node),
      );
      return targets.length > 0
        ? result
        : {
            ...result,
            outcome: 'skipped',
            summary: 'none of the nodes of the contract is enrolled in Ironic yet',
          };
    }),
};

async function lookAtConsole(context: CheckContext, ironic: BareMetal, node: ServedNode) {
  const wrong: Wrong[] = [];
  let enabled: boolean | null = null;
  const has = hasConsole(node);
  if (!has) {
    wrong.push({
      message: `Node ${node.name} has console interface ${node.consoleInterface ?? 'none'}, and the contract says that consoles are on.`,
      correction: `baremetal node set ${node.name} --console-interface …, one of those that its driver has enabled; or take \`openstack.bareMetal.consoles\` out of the contract.`,
    });
  } else {
    // The address of the console opens it: only whether there is one is kept.
    enabled = field(await ironic.read(pathOf(node)), 'console_enabled') === true;
  }
  // Of what is not there, Ironic refuses anybody anything.
  const plain = has ? await plainStatus(context, node) : 'not asked';
  if (plain === 'shown') {
    wrong.push({
      message: `User ${consolesOf(context.inventory)!.plainUser!.username}, who is to have no console, is shown that of node ${node.name}.`,
      correction:
        'Take the role from the user, or restrict `baremetal:node:get_console` in the policy of Ironic.',
    });
  }
  const evidence = await context.evidence(node.name, {
    asked: `GET ${pathOf(node)} of ${ironic.where}`,
    answer: { interface: node.consoleInterface ?? null, enabled, plainUser: plain },
  });
  const found = foundOf(
    wrong,
    plain === 'refused' ? 'shown to whom it is to be, and to no other' : 'it can be asked for',
  );
  return { found, evidence: [evidence] };
}

/** What a plain user is answered who asks for the console of a node. */
async function plainStatus(
  context: CheckContext,
  node: ServedNode,
): Promise<'shown' | 'refused' | 'not asked'> {
  const { openstack } = context.inventory;
  const { plainUser } = consolesOf(context.inventory)!;
  if (plainUser === undefined || openstack?.credentials === undefined || !ofCloud(context.inventory))
    return 'not asked';
  const { project = openstack.credentials.project, ...user } = plainUser;
  const { domain } = openstack.credentials;
  const credentials = { ...user, project, ...(domain === undefined ? {} : { domain }) };
  const inventory = { ...context.inventory, openstack: { ...openstack, credentials } };
  return withOpenStack({ ...context, inventory }, async (cloud) => {
    try {
      // 404: policy hides the node from whoever may not see it.
      return (await cloud.find('baremetal', pathOf(node))) === undefined ? 'refused' : 'shown';
    } catch (error) {
      if (error instanceof RackwrightError && error.failure.code === 'OPENSTACK_FORBIDDEN') return 'refused';
      throw error;
    }
  });
}
