import { isCleared, offeredTarget, overrides, readBoot } from '../../../core/redfish/boot.ts';
import { holds, isOccupied, isOurs } from '../../../core/redfish/media.ts';
import { readPower } from '../../../core/redfish/power.ts';
import type { REDFISH_OBSERVED } from '../../../core/plans/redfish.ts';
import { listMedia } from '../../redfish/media-drives.ts';
import type { SystemFound } from '../../redfish/service.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { StepContext } from '../driver.ts';
import { agentOf } from './agent-steps.ts';
import { bootModeOf, onSystem } from './bmc.ts';
import { mediaOf, mediaOurs } from './boot-session.ts';

type Ask = (context: StepContext) => Promise<boolean>;

const onBmc =
  (look: (context: StepContext, bmc: Bmc, system: SystemFound) => boolean | Promise<boolean>): Ask =>
  (context) =>
    onSystem(context, async (bmc, system) => look(context, bmc, system));

/** An agent of this boot that answers with its certificate. A machine that was booted and is silent is none. */
const agentAlive: Ask = async (context) => {
  const agent = agentOf(context);
  if (agent === undefined) return false;
  return agent.commands().then(
    () => true,
    () => false,
  );
};

const noMedia = async (context: StepContext, bmc: Bmc, system: SystemFound): Promise<boolean> => {
  const ours = mediaOurs(context);
  return !(await listMedia(bmc, system)).some((slot) => isOccupied(slot) && isOurs(slot, ours));
};

/** Without an override; a BMC that knows no such state has the disk as its lasting source instead. */
const noOverride = ({ body }: SystemFound): boolean => {
  const boot = readBoot(body);
  return isCleared(boot) || (boot.target === 'Hdd' && boot.enabled === 'Continuous');
};

/** How each observed fact of the plans is asked of the BMC or the agent. */
export const FACTS: { readonly [F in (typeof REDFISH_OBSERVED)[number]]: Ask } = {
  'media-inserted': onBmc(async (context, bmc, system) => {
    const { url } = mediaOf(context);
    return (await listMedia(bmc, system)).some((slot) => holds(slot, url));
  }),
  'override-set': onBmc((context, _bmc, { body }) => {
    const boot = readBoot(body);
    const target = offeredTarget(boot, 'Cd');
    return target !== undefined && overrides(boot, target, bootModeOf(context));
  }),
  'agent-booted': agentAlive,
  'agent-alive': agentAlive,
  'powered-off': onBmc((_context, _bmc, { body }) => readPower(body) === 'off'),
  'media-ejected': onBmc(noMedia),
  'override-cleared': onBmc((_context, _bmc, system) => noOverride(system)),
  'disk-booted': onBmc(
    async (context, bmc, system) =>
      readPower(system.body) === 'on' && noOverride(system) && (await noMedia(context, bmc, system)),
  ),
};
