import type { JsonObject } from '../json.ts';
import { serviceWork } from '../service-work.ts';
import type { Step } from '../steps.ts';
import { BMC_OWNER } from './redfish-agent.ts';
import { step as make } from './step.ts';

const FIRMWARE_OWNER = 'firmware owners';

type Given = Omit<Parameters<typeof make>[0], 'phase'>;
const step = (given: Given): Step => make({ owner: FIRMWARE_OWNER, phase: 'servicing', ...given });

/**
 * Firmware and settings. Everything that can be wrong with what was asked is found before anything is
 * written; firmware comes before settings, since it brings its own. Nothing here is called left behind: a
 * machine whose firmware is being written must not be switched off to make it safe.
 */
export function servicePlan(args: JsonObject): readonly Step[] {
  const { firmware, bios } = serviceWork(args);
  return [
    step({
      id: 'survey',
      title: 'Note what the node is like before',
      needs: ['bmc-reached'],
      makes: ['surveyed'],
      owner: BMC_OWNER,
      faultDomain: 'bmc',
    }),
    ...(firmware ? [CHECK_FIRMWARE] : []),
    ...(bios ? [CHECK_BIOS] : []),
    ...(firmware ? [UPDATE_FIRMWARE] : []),
    ...(bios ? BIOS_STEPS : []),
    step({
      id: 'compare-survey',
      title: 'Compare with what the node was like before',
      needs: ['surveyed'],
      makes: ['survey-compared'],
      owner: BMC_OWNER,
      faultDomain: 'firmware',
      bounds: { total: 1800 },
    }),
    step({
      id: 'restore-power',
      title: 'Leave the power as it was',
      needs: ['surveyed'],
      makes: ['power-restored'],
      owner: BMC_OWNER,
      faultDomain: 'bmc',
    }),
  ];
}

const CHECK_FIRMWARE = step({
  id: 'check-firmware',
  title: 'Compare the firmware with the baseline, and check what would be written',
  needs: ['surveyed'],
  makes: ['firmware-checked'],
  faultDomain: 'contract',
  bounds: { total: 1800 },
});

const UPDATE_FIRMWARE = step({
  id: 'update-firmware',
  title: 'Bring the firmware to the baseline',
  needs: ['firmware-checked'],
  makes: ['firmware-updated'],
  repeatable: false,
  faultDomain: 'firmware',
  goesOn:
    'An update that was begun goes on on the BMC, and nothing is switched off under it: let it end. The next `service` takes it up.',
  bounds: { total: 14_400, retryMax: 30 },
});

const CHECK_BIOS = step({
  id: 'check-bios',
  title: 'Check the BIOS settings against the attribute registry',
  needs: ['surveyed'],
  makes: ['bios-checked'],
  faultDomain: 'contract',
});

const BIOS_STEPS = [
  step({
    id: 'set-bios',
    title: 'Ask the firmware for the BIOS settings at the next reset',
    needs: ['bios-checked'],
    makes: ['bios-asked'],
    faultDomain: 'firmware',
    bounds: { total: 1800 },
  }),
  step({
    id: 'restart',
    title: 'Restart the host: off, proven, then on',
    needs: ['bios-asked'],
    makes: ['restarted'],
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    goesOn:
      'The host may have been switched off for it, and is left so: look at its power. Settings that wait are applied by the next start.',
    bounds: { total: 900 },
  }),
  step({
    id: 'verify-bios',
    title: 'Read the BIOS settings back',
    needs: ['bios-asked', 'restarted'],
    makes: ['bios-verified'],
    faultDomain: 'firmware',
    bounds: { total: 3600 },
  }),
];
