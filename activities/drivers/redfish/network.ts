import {
  cablingOf,
  isDescribed,
  isPlaced,
  type ContractPort,
  type PortCabling,
  type SeenPort,
} from '../../../core/cabling.ts';
import type { AgentHardware } from '../../../core/agent/hardware.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import { networkPorts } from '../../redfish/ports.ts';
import { NO_ATTACHER } from '../attacher.ts';
import type { StepFunction } from '../driver.ts';
import { hardwareThat, requireAgent } from './agent-steps.ts';
import { onSystem, sentence } from './bmc.ts';

/**
 * Compares what the BMC hears by LLDP with the contract, then has the ports put on their networks. A BMC
 * that shows nothing is no failure, and neither is a link that is down: the node may be off.
 */
export const attachNetwork: StepFunction = async (context) => {
  const placed = context.node.ports.filter(isPlaced);
  const checked =
    placed.length === 0
      ? { summary: 'the contract names no switch ports', evidence: [] }
      : await onSystem(context, async (bmc, system) => {
          const cabling = cablingOf(placed, await networkPorts(bmc, system));
          const evidence = await context.evidence('cabling', {
            asked: 'LLDP of the network ports, out of band',
            of: bmc.origin,
            answer: cabling as unknown as Json,
          });
          requirePlaces(cabling);
          const told = cabling.filter(({ verdict }) => verdict === 'fits').length;
          return {
            summary:
              told === 0
                ? 'the BMC shows no LLDP of the ports'
                : `by LLDP of the BMC ${told} of ${placed.length} ports are where the contract says`,
            evidence: [evidence],
          };
        });
  return {
    summary: sentence(checked.summary, await NO_ATTACHER.attach(context)),
    evidence: checked.evidence,
  };
};

/**
 * The ports that the contract describes have link, and are where it says as far as LLDP tells. Links come up
 * late and switches speak every 30 seconds: what is not right at first sight is looked at once more.
 */
export const checkNetwork: StepFunction = async (context) => {
  const agent = requireAgent(context);
  const { ports } = context.node;
  if (!ports.some(isDescribed)) return { summary: 'The contract describes no ports.' };
  const look = (hardware: AgentHardware): PortCabling[] => cablingOf(ports, seenBy(hardware));
  let first: PortCabling[] | undefined;
  const hardware = await hardwareThat(agent, (known) => {
    first = look(known);
    return first.every((port) => isSettled(ports, port));
  });
  // What was heard once needs not be heard again.
  const cabling = look(hardware).map((port, i) => (first?.[i]?.verdict === 'fits' ? first[i] : port));
  const evidence = await context.evidence('cabling', {
    asked: 'poll.get_hardware_info',
    of: context.input.agent!.callbackUrl,
    answer: cabling as unknown as Json,
  });
  requirePlaces(cabling);
  requireLink(cabling);
  const named = (verdict: PortCabling['verdict']): string =>
    cabling
      .filter((port) => port.verdict === verdict)
      .map(({ mac }) => mac)
      .join(', ');
  const [untold, unseen] = [named('untold'), named('unseen')];
  const placed = ports.filter(isPlaced).length;
  const fitting = cabling.filter(({ verdict }) => verdict === 'fits').length;
  return {
    summary: sentence(
      placed === 0
        ? 'the contract names no switch ports'
        : `${fitting} of ${placed} ports are where the contract says`,
      untold === '' ? undefined : `not told by LLDP: ${untold}`,
      unseen === '' ? undefined : `not seen by the agent: ${unseen}`,
    ),
    evidence: [evidence],
  };
};

const seenBy = ({ interfaces }: AgentHardware): SeenPort[] =>
  interfaces.map(({ mac, carrier, neighbour }) => ({ mac, linkUp: carrier, neighbour }));

/** Nothing more is to be learned of a port: it is in its place, or the contract gives it none. */
const isSettled = (ports: readonly ContractPort[], { mac, verdict }: PortCabling): boolean =>
  verdict === 'fits' ||
  verdict === 'unseen' ||
  (verdict === 'untold' && !ports.some((port) => port.mac === mac && isPlaced(port)));

function requirePlaces(cabling: readonly PortCabling[]): void {
  const wrong = cabling.filter(({ verdict }) => verdict === 'differs');
  if (wrong.length === 0) return;
  const told = wrong.map(
    ({ mac, expected, seen }) => `${mac} belongs to ${expected}, and LLDP shows ${seen}`,
  );
  throw fail('CABLING_MISMATCH', `Ports in the wrong place: ${told.join('; ')}.`, {
    details: { ports: wrong as unknown as Json },
  });
}

function requireLink(cabling: readonly PortCabling[]): void {
  const dark = cabling.filter(({ verdict }) => verdict === 'no-link');
  if (dark.length === 0) return;
  const told = dark.map(({ mac, expected }) => `${mac} (${expected})`);
  throw fail('LINK_DOWN', `The agent sees no link on ${told.join(', ')}.`, {
    details: { ports: dark as unknown as Json },
  });
}
