import { readHealth } from '../../../core/redfish/readers.ts';
import { readPower } from '../../../core/redfish/power.ts';
import { bmcOrigin } from '../../redfish/endpoint.ts';
import { memoryOf } from '../../redfish/memory.ts';
import { forgetRefusedCredentials } from '../../redfish/session.ts';
import type { StepFunction } from '../driver.ts';
import { onSystem, sentence } from './bmc.ts';
import { attemptOf } from './boot-session.ts';
import { requireNoUpdate } from './update-guard.ts';

/**
 * Reaches the BMC, with the certificate policy and the credentials of the contract, and finds the system.
 * Whoever asks for it anew may have put a refused account right: its credentials are tried once more. What the
 * service is, is read anew, too.
 */
export const connect: StepFunction = (context) => {
  const { bmc: contract } = context.node;
  if (contract !== undefined) {
    const origin = bmcOrigin(contract.address);
    if (attemptOf() === 1) forgetRefusedCredentials(origin);
    memoryOf(origin).root = null;
  }
  return onSystem(context, async (bmc, system) => {
    await requireNoUpdate(context, bmc);
    const power = readPower(system.body);
    const health = readHealth(system.body);
    const { vendor, product, firmware } = system.identity;
    const who = [vendor, product, firmware].filter((text) => text !== null).join(' ');
    return {
      summary: sentence(`found ${system.uri}`, who, `power ${power}`, `health ${health ?? 'not told'}`),
      data: {
        ...(power === 'on' || power === 'off' ? { power } : {}),
        ...(health === null ? {} : { health }),
      },
    };
  });
};
