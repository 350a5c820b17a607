import { guestDifferences } from '../../../core/agent/guest.ts';
import { readGuestReport, type GuestReport } from '../../../core/agent/guest-report.ts';
import { untold } from '../../../core/agent/guest-standing.ts';
import { isDescribed } from '../../../core/cabling.ts';
import { fail, notYet } from '../../../core/errors/failure.ts';
import { guestPorts } from '../../../core/guest-network.ts';
import { readPower } from '../../../core/redfish/power.ts';
import type { StepFunction } from '../driver.ts';
import { tryGuest } from '../reach.ts';
import { onSystem, sentence } from './bmc.ts';

/** The guest has said that it is up. */
export const awaitFirstBoot: StepFunction = async (context) => {
  const { firstBoot } = context.input;
  if (firstBoot === null) throw notYet('FIRST_BOOT_SILENT', 'The guest has not called yet.', 5_000);
  const guest = readGuestReport(firstBoot);
  const evidence = await context.evidence('first-boot', {
    asked: 'first-boot report',
    of: guest.hostname ?? context.node.name,
    answer: firstBoot,
  });
  const addresses = guest.addresses.slice(0, 4).map(({ address }) => address);
  return {
    summary: sentence(
      `the guest ${guest.hostname?.slice(0, 63) ?? ''} is up`,
      addresses.length === 0 ? 'it names no address' : `with ${addresses.join(', ').slice(0, 200)}`,
    ),
    evidence: [evidence],
  };
};

/**
 * What the guest sees is what the contract promises, its ports have link, and the power is on; and it is reached
 * where its machine type says so.
 */
export const handOver: StepFunction = (context) =>
  onSystem(context, async (_bmc, system) => {
    const power = readPower(system.body);
    if (power !== 'on')
      throw notYet('POWER_NOT_REACHED', `The power reads ${power} at the hand-over.`, 5_000);
    const guest = readGuestReport(context.input.firstBoot);
    const { machineType, ports } = context.node;
    const network = guestPorts(ports, context.inventory.networks);
    const wired = ports.filter(isDescribed).map(({ mac }) => mac);
    const differences = guestDifferences(guest, machineType.expect, wired, network);
    if (differences.length > 0) {
      throw fail('HAND_OVER_INCOMPLETE', `The guest: ${differences.join('; ')}.`, {
        details: { differences },
      });
    }
    const missing = untold(guest, network);
    const tried = await tryGuest(context, guest);
    return {
      summary: sentence(
        `power on; told by the guest: ${guest.gpus.length} GPUs, ${guest.diskBytes.length} disks, ${guest.addresses.length} addresses`,
        guest.links.length === 0
          ? undefined
          : `${guest.links.filter(({ up }) => up === true).length} links up`,
        shownClock(guest),
        missing.length === 0 ? undefined : `not told by the guest, hence not judged: ${missing.join(', ')}`,
        machineType.expect.mounts === undefined ? undefined : `${machineType.expect.mounts.length} mounts`,
        tried.summary,
      ),
      data: { power: 'on' },
      evidence: tried.evidence,
    };
  });

/** How far the guest's clock is from the gateway's, in words; undefined where either was not told. */
function shownClock({ time, receivedAt }: GuestReport): string | undefined {
  if (time === null || receivedAt === null) return undefined;
  return `its clock is ${Math.abs(Math.round((time - receivedAt) / 1000))} s off`;
}
