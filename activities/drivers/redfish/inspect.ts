import { objectOf } from '../../../core/agent/read.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { inspectSystem } from '../../redfish/inspect.ts';
import type { StepFunction } from '../driver.ts';
import { onSystem, sentence } from './bmc.ts';
import { contractDifferences, digestOf, type InspectionDigest } from './differences.ts';

/** Reads what the node is made of from its BMC. Nothing is written or booted. */
export const inspect: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const inspection = await inspectSystem(bmc, system);
    const evidence = await context.evidence('inspection', {
      asked: 'inventory, out of band',
      of: bmc.origin,
      answer: inspection as unknown as Json,
    });
    const digest = digestOf(inspection);
    const unread = inspection.unread.length;
    return {
      summary: sentence(
        [inspection.system.manufacturer, inspection.system.model].filter(Boolean).join(' ') ||
          'unnamed system',
        `${digest.gpus.length} GPUs, ${digest.driveBytes.length} drives, ${digest.macs.length} MAC addresses told`,
        unread === 0 ? undefined : `${unread} parts could not be read`,
      ),
      data: {
        inspection: digest as unknown as JsonObject,
        ...(digest.power === 'on' || digest.power === 'off' ? { power: digest.power } : {}),
        ...(digest.health === null ? {} : { health: digest.health }),
      },
      evidence: [evidence],
    };
  });

/**
 * Compares what was read with the contract. A node that is only looked at is marked as drifted; one that
 * is to be taken in must be as the contract says.
 */
export const compare: StepFunction = async ({ input, node }) => {
  const digest = objectOf(input.data['inspection']) as unknown as InspectionDigest;
  const { differences, untold } = contractDifferences(digest, node);
  const drift = differences.length > 0;
  if (drift && input.ref.kind !== 'inspect') {
    throw fail('HARDWARE_MISMATCH', `Not as the contract says: ${differences.join('; ')}.`, {
      details: { differences: [...differences] },
    });
  }
  const told = drift ? `differs from the contract: ${differences.join('; ')}` : 'as the contract says';
  return {
    summary: sentence(told, untold.length === 0 ? undefined : `not told by the BMC: ${untold.join(', ')}`),
    data: { drift },
  };
};
