import type { JsonObject } from '../json.ts';
import type { WorkingPhase } from '../phases.ts';
import type { Step } from '../steps.ts';
import type { OperationVerbName } from '../verbs.ts';
import { step } from './step.ts';

/** Facts that Ironic can be asked for; checked again on resume. */
export const IRONIC_OBSERVED = [
  'ironic-node',
  'ironic-manageable',
  'ironic-available',
  'ironic-active',
  'ironic-gone',
] as const;

const OWNER = 'Ironic operators';

const ironic = (given: Parameters<typeof step>[0]): Step => step({ owner: OWNER, ...given });

const register = (phase: WorkingPhase): Step =>
  ironic({
    id: 'register',
    title: 'Create the node and its ports in Ironic',
    phase,
    makes: ['ironic-node'],
    faultDomain: 'ironic',
  });

const manage = (phase: WorkingPhase): Step =>
  ironic({
    id: 'manage',
    title: 'Have Ironic verify the credentials',
    phase,
    needs: ['ironic-node'],
    makes: ['ironic-manageable'],
    faultDomain: 'bmc',
    bounds: { total: 900 },
  });

const inspectSteps = (phase: WorkingPhase): Step[] => [
  ironic({
    id: 'inspect',
    title: "Read the inventory through Ironic's inspection",
    phase,
    needs: ['ironic-node'],
    makes: ['inspected'],
    faultDomain: 'ironic',
    bounds: { total: 3600 },
  }),
  ironic({
    id: 'compare',
    title: 'Compare with the contract',
    phase,
    needs: ['inspected'],
    makes: ['compared'],
    faultDomain: 'hardware',
  }),
];

/** Its fact is `cleaned`: only the step's own data says whether anything was erased, and how. */
const clean = (phase: WorkingPhase): Step =>
  ironic({
    id: 'erase',
    title: "Erase through Ironic's manual cleaning",
    phase,
    needs: ['ironic-node', 'ironic-manageable'],
    makes: ['cleaned'],
    repeatable: false,
    faultDomain: 'ironic',
    bounds: { total: 172_800, retryMax: 30 },
  });

const provide = (phase: WorkingPhase): Step =>
  ironic({
    id: 'provide',
    title: 'Make the node available in Ironic',
    phase,
    needs: ['cleaned'],
    makes: ['ironic-available'],
    breaks: ['ironic-manageable'],
    faultDomain: 'ironic',
    bounds: { total: 172_800, retryMax: 30 },
  });

const undeploy = (phase: WorkingPhase): Step =>
  ironic({
    id: 'undeploy',
    title: 'Take the instance down in Ironic',
    phase,
    needs: ['ironic-node'],
    makes: ['ironic-undeployed'],
    breaks: ['ironic-active'],
    clears: ['allocation'],
    faultDomain: 'ironic',
    bounds: { total: 172_800, retryMax: 30 },
  });

/** A failed deployment leaves an allocation; a failed rebuild leaves the instance that its owner had. */
const deploySteps = (phase: WorkingPhase, rebuild: boolean): Step[] => [
  ironic({
    id: 'preflight',
    title: 'Check the image and have Ironic validate the node',
    phase,
    needs: [],
    makes: ['preflight-passed'],
    faultDomain: 'image-supply',
  }),
  ironic({
    id: rebuild ? 'rebuild' : 'deploy',
    title: rebuild ? 'Rebuild the instance through Ironic' : 'Deploy the instance through Ironic',
    phase,
    needs: ['preflight-passed'],
    makes: ['ironic-active'],
    ...(rebuild ? {} : { breaks: ['ironic-available'], leaves: ['allocation'] as const }),
    repeatable: false,
    faultDomain: 'ironic',
    bounds: { total: 14_400, retryMax: 15 },
  }),
  ironic({
    id: 'hand-over',
    title: 'Check what is handed over',
    phase,
    needs: ['ironic-active'],
    makes: ['handed-over'],
    clears: rebuild ? [] : ['allocation'],
    faultDomain: 'ironic',
  }),
];

/** The steps of a verb, or undefined where the driver cannot do it yet. */
export function ironicPlan(verb: OperationVerbName, _args: JsonObject): readonly Step[] | undefined {
  switch (verb) {
    case 'enroll':
      return [register('verifying'), manage('verifying'), ...inspectSteps('inspecting')];
    case 'inspect':
      return inspectSteps('inspecting');
    case 'clean':
      return [manage('cleaning'), clean('cleaning'), provide('cleaning')];
    case 'deploy':
      return deploySteps('deploying', false);
    case 'reimage':
      return deploySteps('deploying', true);
    case 'release':
      return [undeploy('releasing'), manage('cleaning'), clean('cleaning'), provide('cleaning')];
    case 'power':
      return [
        ironic({
          id: 'set-power',
          title: 'Set the power state through Ironic',
          makes: ['power-set'],
          faultDomain: 'ironic',
        }),
      ];
    case 'decommission':
      return [
        undeploy('decommissioning'),
        manage('decommissioning'),
        clean('decommissioning'),
        ironic({
          id: 'unregister',
          title: 'Power off and remove the node from Ironic',
          phase: 'decommissioning',
          needs: ['cleaned'],
          makes: ['ironic-gone'],
          breaks: ['ironic-node', 'ironic-manageable'],
          faultDomain: 'ironic',
        }),
      ];
    default:
      return undefined;
  }
}
