import { fail } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import {
  bootDifferences,
  readBootOption,
  readBootOrder,
  withoutRemoved,
  type BootVariables,
} from '../../../core/redfish/boot-variables.ts';
import { shownList } from '../../../core/redfish/comparison.ts';
import { at, linkOf } from '../../../core/redfish/read.ts';
import { readSecureBoot } from '../../../core/redfish/readers.ts';
import type { SystemFound } from '../../redfish/service.ts';
import { membersTold, readTold } from '../../redfish/told.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { StepFunction } from '../driver.ts';
import { notPermitted } from './accounts.ts';
import { onSystem, sentence } from './bmc.ts';

const MAX_OPTIONS = 64;

/**
 * Compares what the firmware would boot with the machine type. A deployed system adds its own boot option,
 * and our media another: only when the disks are empty and the media is out is what is left a finding. What
 * `clean-nvram` has removed may be shown until the next POST, and is none.
 */
export const compareBoot: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const seen = await bootVariablesOf(bmc, system);
    const { expect } = context.node.machineType;
    const { rest, stillShown } =
      context.input.data['nvramCleaned'] === true
        ? withoutRemoved(seen, expect)
        : { rest: seen, stillShown: 0 };
    const { differences, untold, forbidden } = bootDifferences(rest, expect);
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
    if (forbidden.length > 0) throw notPermitted(forbidden);
    const { secureBoot, order, options } = seen;
    const silent = expect.secureBoot === undefined && expect.bootOptions === undefined;
    return {
      summary: sentence(
        secureBoot === null ? undefined : `secure boot is ${secureBoot ? 'enabled' : 'disabled'}`,
        `${(order ?? options ?? []).length} boot options told`,
        stillShown === 0
          ? undefined
          : `${stillShown} of them removed, and shown by the BMC until the next POST`,
        silent ? 'the machine type does not say what they should be' : undefined,
        untold.length === 0 ? undefined : `not told by the BMC: ${untold.join(', ')}`,
        seen.forbidden.length === 0 ? undefined : `not permitted to read: ${seen.forbidden.join(', ')}`,
      ),
      evidence: [evidence],
    };
  });

async function bootVariablesOf(bmc: Bmc, system: SystemFound): Promise<BootVariables> {
  const secure = linkOf(system.body['SecureBoot']);
  const resource = secure === null ? null : await readTold(bmc, secure);
  const options = await membersTold(bmc, linkOf(at(system.body, 'Boot', 'BootOptions')), MAX_OPTIONS);
  return {
    order: readBootOrder(system.body),
    options:
      options === null || options === 'forbidden'
        ? null
        : options.members.map(({ body }) => readBootOption(body)),
    secureBoot: resource === null || resource === 'forbidden' ? null : readSecureBoot(resource.body).enabled,
    forbidden: [
      ...(resource === 'forbidden' ? (['secure boot'] as const) : []),
      ...(options === 'forbidden' ? (['boot options'] as const) : []),
    ],
  };
}
