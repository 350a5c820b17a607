import type { JsonObject } from '../json.ts';
import type { WorkingPhase } from '../phases.ts';
import type { Step } from '../steps.ts';
import type { OperationVerbName } from '../verbs.ts';
import { agentSteps, BMC_OWNER, leaveAgentSteps } from './redfish-agent.ts';
import { cleanNvram, clearTpm, compareBmc, compareBoot, verifyTpm } from './redfish-owner.ts';
import { servicePlan } from './redfish-service.ts';
import { step } from './step.ts';

/**
 * The plans of the Redfish driver. Facts that the BMC or the agent can be asked for are checked again
 * on resume (`REDFISH_OBSERVED`); the others are remembered by the operation.
 */
export const REDFISH_OBSERVED = [
  'media-inserted',
  'override-set',
  'agent-booted',
  'agent-alive',
  'powered-off',
  'media-ejected',
  'override-cleared',
  'disk-booted',
] as const;

const IMAGE_OWNER = 'image owners';

const connect = (phase: WorkingPhase | null): Step =>
  step({
    id: 'connect',
    title: 'Reach the BMC and find the system',
    phase,
    makes: ['bmc-reached'],
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    bounds: { total: 300 },
  });

const inspectSteps = (phase: WorkingPhase): Step[] => [
  step({
    id: 'inspect',
    title: 'Read the inventory out of band',
    phase,
    needs: ['bmc-reached'],
    makes: ['inspected'],
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    bounds: { total: 600 },
  }),
  step({
    id: 'compare',
    title: 'Compare with the contract',
    phase,
    needs: ['inspected'],
    makes: ['compared'],
    owner: BMC_OWNER,
    faultDomain: 'hardware',
    bounds: { total: 120 },
  }),
];

const erase = (phase: WorkingPhase): Step =>
  step({
    id: 'erase',
    title: 'Erase the disks',
    phase,
    needs: ['agent-alive', 'hardware-checked'],
    makes: ['erased'],
    repeatable: false,
    owner: 'provisioning operators',
    faultDomain: 'hardware',
    bounds: { total: 172_800, retryMax: 30 },
  });

const eraseSteps = (phase: WorkingPhase): Step[] => [
  connect(phase),
  ...agentSteps(phase),
  erase(phase),
  ...leaveAgentSteps(phase, ['erased']),
];

/** From whoever had the node to a node that anyone may be given. */
const changeOwnerSteps = (first: WorkingPhase, then: WorkingPhase): Step[] => [
  compareBmc(first),
  clearTpm(first),
  ...agentSteps(then),
  verifyTpm(then),
  erase(then),
  cleanNvram(then),
  ...leaveAgentSteps(then, ['erased', 'nvram-cleaned']),
  compareBoot(then),
];

/** After what was written is known to be the image: nothing else gets a boot entry. */
const installBootloader = (phase: WorkingPhase): Step =>
  step({
    id: 'install-bootloader',
    title: "Write the firmware's boot entry for the image",
    phase,
    needs: ['agent-alive', 'image-verified'],
    makes: ['bootloader-installed'],
    owner: IMAGE_OWNER,
    faultDomain: 'image-supply',
    bounds: { total: 900 },
  });

const deploySteps = (phase: WorkingPhase): Step[] => [
  connect(phase),
  step({
    id: 'preflight',
    title: 'Check image, media and disk before anything is touched',
    phase,
    needs: ['bmc-reached'],
    makes: ['preflight-passed'],
    owner: IMAGE_OWNER,
    faultDomain: 'image-supply',
    bounds: { total: 300 },
  }),
  step({
    id: 'attach-network',
    title: 'Attach the network',
    phase,
    needs: ['preflight-passed'],
    makes: ['network-attached'],
    owner: 'network operators',
    faultDomain: 'provisioning-network',
    bounds: { total: 300 },
  }),
  ...agentSteps(phase),
  step({
    id: 'check-network',
    title: 'Compare link and LLDP of the ports with the contract',
    phase,
    needs: ['agent-alive', 'network-attached'],
    makes: ['network-checked'],
    owner: 'network operators',
    faultDomain: 'provisioning-network',
    bounds: { total: 300 },
  }),
  step({
    id: 'write-image',
    title: 'Write the image to the root device',
    phase,
    needs: ['agent-alive', 'hardware-checked', 'network-checked'],
    makes: ['image-written'],
    repeatable: false,
    owner: IMAGE_OWNER,
    faultDomain: 'image-supply',
    bounds: { total: 14_400, retryMax: 15 },
  }),
  step({
    id: 'verify-image',
    title: 'Verify what was written',
    phase,
    needs: ['agent-alive', 'image-written'],
    makes: ['image-verified'],
    owner: IMAGE_OWNER,
    faultDomain: 'image-supply',
    bounds: { total: 600 },
  }),
  installBootloader(phase),
  ...leaveAgentSteps(phase, ['image-verified', 'bootloader-installed']),
  step({
    id: 'boot-disk',
    title: 'Power on from the disk',
    phase,
    needs: ['image-verified', 'bootloader-installed', 'media-ejected', 'override-cleared'],
    makes: ['disk-booted'],
    breaks: ['powered-off'],
    leaves: ['power'],
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    bounds: { total: 600 },
  }),
  step({
    id: 'await-first-boot',
    title: "Wait for the guest's first boot",
    phase,
    needs: ['disk-booted'],
    makes: ['guest-reported'],
    awaits: 'first-boot',
    owner: IMAGE_OWNER,
    faultDomain: 'first-boot',
    silence: 'FIRST_BOOT_SILENT',
    bounds: { total: 1800 },
  }),
  step({
    id: 'hand-over',
    title: 'Check what is handed over',
    phase,
    needs: ['disk-booted', 'guest-reported'],
    makes: ['handed-over'],
    clears: ['power'],
    owner: IMAGE_OWNER,
    faultDomain: 'first-boot',
    bounds: { total: 300 },
  }),
];

const stopTenant = (phase: WorkingPhase): Step =>
  step({
    id: 'stop',
    title: 'Stop the running system',
    phase,
    needs: ['bmc-reached'],
    makes: ['tenant-stopped'],
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    bounds: { total: 900 },
  });

/** The steps of a verb, or undefined where the driver cannot do it yet. */
export function redfishPlan(verb: OperationVerbName, args: JsonObject): readonly Step[] | undefined {
  switch (verb) {
    case 'enroll':
      return [connect('verifying'), ...inspectSteps('inspecting')];
    case 'inspect':
      return [connect('inspecting'), ...inspectSteps('inspecting')];
    case 'clean':
      // After a full one anyone may be given the node, also where a release came to its end by this way.
      return args['erase'] === 'metadata'
        ? eraseSteps('cleaning')
        : [connect('cleaning'), ...changeOwnerSteps('cleaning', 'cleaning')];
    case 'deploy':
      return deploySteps('deploying');
    case 'reimage': {
      // The owner's system runs until it is known that the image can be written.
      const [reach, preflight, ...rest] = deploySteps('deploying');
      return [reach!, preflight!, stopTenant('deploying'), ...rest];
    }
    case 'release':
      return [connect('releasing'), stopTenant('releasing'), ...changeOwnerSteps('releasing', 'cleaning')];
    case 'decommission':
      return eraseSteps('decommissioning');
    case 'adopt':
      return [connect('adopting'), ...inspectSteps('adopting')];
    case 'service':
      return [connect('servicing'), ...servicePlan(args)];
    case 'power':
      return [
        connect(null),
        step({
          id: 'set-power',
          title: 'Set the power state',
          needs: ['bmc-reached'],
          makes: ['power-set'],
          owner: BMC_OWNER,
          faultDomain: 'bmc',
          bounds: { total: 900 },
        }),
      ];
    default:
      return undefined;
  }
}
