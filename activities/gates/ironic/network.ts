import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import {
  networkProblems,
  networksNamed,
  networksOf,
  nodeNetworkProblems,
  readNetwork,
  untoldSegment,
} from '../../../core/openstack/networks.ts';
import { answerInvalid } from '../../openstack/errors.ts';
import { eachTarget, foundOf, type CheckFunction, type CheckContext } from '../check.ts';
import { presentNodes } from './nodes.ts';
import { namedNodes, withBareMetal, withoutCloud } from './session.ts';

const wantedOf = ({ openstack, networks }: Inventory) => {
  const wanted = openstack?.bareMetal?.provisioningNetwork;
  if (wanted === undefined) return undefined;
  const { cidr, vlan } = networks[wanted.network ?? ''] ?? {};
  return { name: wanted.name, dhcp: wanted.dhcp, cidr, vlan };
};

/** Neutron has the network that nodes are deployed in, as the contract and the nodes say. */
export const provisioningNetwork: CheckFunction = {
  skip: (inventory) =>
    withoutCloud(inventory) ??
    (inventory.openstack?.services?.includes('network') === false
      ? 'the cloud of the contract has no Neutron (`openstack.services`)'
      : undefined) ??
    (wantedOf(inventory) === undefined && namedNodes(inventory).length === 0
      ? 'the contract names no provisioning network (`openstack.bareMetal.provisioningNetwork`), and no node'
      : undefined),
  run: (context) =>
    withBareMetal(context, async ({ ironic, cloud }) => {
      const subnets = await cloud!.list('network', '/v2.0/subnets', 'subnets');
      const networks = (await cloud!.list('network', '/v2.0/networks', 'networks')).map((each) =>
        readNetwork(each, subnets),
      );
      const wanted = wantedOf(context.inventory);
      const { present } = await presentNodes(context, ironic);
      const targets = [
        ...(wanted === undefined ? [] : [{ name: wanted.name, node: undefined }]),
        ...present.map(({ name, node }) => ({ name, node })),
      ];
      const result = await eachTarget(context, 'provisioning-network', targets, async ({ name, node }) => {
        // What is not shown to the user may be there all the same.
        const hidden = (node === undefined ? [wanted!.name] : networksOf(node)).find(
          (each) => networksNamed(each, networks).length === 0,
        );
        if (hidden !== undefined) await cloud!.mustSee('network', `network ${hidden}`);
        const untold = node === undefined ? untoldSegment(wanted!, networks) : undefined;
        if (untold !== undefined) {
          await cloud!.mustSee('network', `VLAN of network ${untold.name}`);
          throw answerInvalid(
            { service: 'network', method: 'GET', path: '/v2.0/networks' },
            `network ${untold.name} has no \`provider:segmentation_id\``,
          );
        }
        const wrong =
          node === undefined
            ? networkProblems(wanted!, networks)
            : nodeNetworkProblems(node, networks, wanted?.name);
        const evidence = await keep(context, name, {
          wanted:
            wanted === undefined
              ? null
              : {
                  ...wanted,
                  dhcp: wanted.dhcp ?? null,
                  cidr: wanted.cidr ?? null,
                  vlan: wanted.vlan ?? null,
                },
          networks: networks.map(({ segment, ...each }) => ({
            ...each,
            segment: segment ?? null,
            subnets: each.subnets.map((subnet) => ({ ...subnet })),
          })),
        });
        return {
          found: foundOf(wrong, node === undefined ? 'as the contract says' : 'its networks are there'),
          evidence: [evidence],
        };
      });
      return targets.length > 0
        ? result
        : {
            ...result,
            outcome: 'skipped',
            summary: 'no provisioning network is named, and no node is enrolled yet',
          };
    }),
};

const keep = (
  context: CheckContext,
  name: string,
  answer: Parameters<CheckContext['evidence']>[1]['answer'],
) =>
  context.evidence(name, { asked: 'networks and subnets of Neutron, and driver_info of the nodes', answer });
