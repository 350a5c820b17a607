import { fail } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import {
  bootDifferences,
  readBootOption,
  readBootOrder,
  type BootVariables,
} from '../../../core/redfish/boot-variables.ts';
import { shownList } from '../../../core/redfish/comparison.ts';
import { at, linkOf } from '../../../core/redfish/read.ts';
import { readSecureBoot } from '../../../core/redfish/readers.ts';
import { collectionMembers, tryResource, type SystemFound } from '../../redfish/service.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { StepFunction } from '../driver.ts';
import { onSystem, sentence } from './bmc.ts';

const MAX_OPTIONS = 64;

/**
 * Compares what the firmware would boot with the machine type. A deployed system adds its own boot option,
 * and our media another: only when the disks are empty and the media is out is what is left a finding.
 */
export const compareBoot: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const seen = await bootVariablesOf(bmc, system);
    const { expect } = context.node.machineType;
    const { differences, untold } = bootDifferences(seen, expect);
    const evidence = await context.evidence('boot-variables', {
      asked: 'secure boot, boot order and boot options',
      of: bmc.origin,
      answer: { ...seen, differences } as unknown as Json,
    });
    if (differences.length > 0) {
      throw fail('BOOT_MISMATCH', `The firmware is not as the contract says: ${shownList(differences)}.`, {
        details: { differences: differences.slice(0, 64) },
      });
    }
    const { secureBoot, order, options } = seen;
    const silent = expect.secureBoot === undefined && expect.bootOptions === undefined;
    return {
      summary: sentence(
        secureBoot === null ? undefined : `secure boot is ${secureBoot ? 'enabled' : 'disabled'}`,
        `${(order ?? options ?? []).length} boot options told`,
        silent ? 'the machine type does not say what they should be' : undefined,
        untold.length === 0 ? undefined : `not told by the BMC: ${untold.join(', ')}`,
      ),
      evidence: [evidence],
    };
  });

async function bootVariablesOf(bmc: Bmc, system: SystemFound): Promise<BootVariables> {
  const secure = linkOf(system.body['SecureBoot']);
  const resource = secure === null ? null : await tryResource(bmc, secure);
  const collection = linkOf(at(system.body, 'Boot', 'BootOptions'));
  const there = collection !== null && (await tryResource(bmc, collection)) !== null;
  const options = there ? await collectionMembers(bmc, collection, MAX_OPTIONS) : null;
  return {
    order: readBootOrder(system.body),
    options: options?.map(({ body }) => readBootOption(body)) ?? null,
    secureBoot: resource === null ? null : readSecureBoot(resource.body).enabled,
  };
}
