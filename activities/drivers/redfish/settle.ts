import { RackwrightError } from '../../../core/errors/failure.ts';
import type { Residue } from '../../../core/steps.ts';
import { convergeNoOverride } from '../../redfish/boot.ts';
import { convergeNoMedia } from '../../redfish/media.ts';
import { convergePower } from '../../redfish/power.ts';
import type { SystemFound } from '../../redfish/service.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { Settled, StepContext } from '../driver.ts';
import { onSystem, reached, sentence } from './bmc.ts';
import { mediaOurs } from './boot-session.ts';

type Remove = (context: StepContext, bmc: Bmc, system: SystemFound) => Promise<string>;

/** In this order: ejecting under an agent that runs would race with it. */
const REMOVE: readonly (readonly [Residue, Remove])[] = [
  ['power', async (_context, bmc, system) => reached(await convergePower(bmc, system.uri, 'off'))],
  [
    'media',
    async (context, bmc, system) => reached(await convergeNoMedia(bmc, system, { ours: mediaOurs(context) })),
  ],
  ['override', async (_context, bmc, system) => reached(await convergeNoOverride(bmc, system))],
];

/**
 * Makes a node safe: power off, proven; whatever media of ours out; no override. What can be removed is,
 * whatever becomes of the rest. Throws while something is under way; what the BMC refuses is left.
 */
export const settle = (context: StepContext, residue: readonly Residue[]): Promise<Settled> =>
  onSystem(context, async (bmc, system) => {
    const left: Residue[] = [];
    const told: string[] = [];
    let again: RackwrightError | undefined;
    for (const [what, remove] of REMOVE.filter(([each]) => residue.includes(each))) {
      try {
        told.push(await remove(context, bmc, system));
      } catch (error) {
        if (!(error instanceof RackwrightError)) throw error;
        if (error.failure.retryable) again ??= error;
        else {
          left.push(what);
          told.push(error.failure.message);
        }
      }
    }
    if (again !== undefined) throw again;
    const off = residue.includes('power') && !left.includes('power');
    return { left, summary: sentence(...told), ...(off ? { data: { power: 'off' } } : {}) };
  });
