import { readHealth } from '../../../core/redfish/readers.ts';
import { readPower } from '../../../core/redfish/power.ts';
import type { StepFunction } from '../driver.ts';
import { onSystem, sentence } from './bmc.ts';

/** Reaches the BMC, with the certificate policy and the credentials of the contract, and finds the system. */
export const connect: StepFunction = (context) =>
  onSystem(context, async (_bmc, system) => {
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
