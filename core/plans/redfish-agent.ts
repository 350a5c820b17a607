import type { WorkingPhase } from '../phases.ts';
import type { Step } from '../steps.ts';
import { step } from './step.ts';

/** What every plan has in common that boots the deploy agent: the way in, and the way out. */

export const BMC_OWNER = 'hardware operators';

/** From wherever the node is to a deploy agent that answers and is the right one. */
export const agentSteps = (phase: WorkingPhase): Step[] => [
  step({
    id: 'insert-media',
    title: 'Insert the deploy media',
    phase,
    makes: ['media-inserted'],
    breaks: ['media-ejected'],
    leaves: ['media'],
    opensWindow: true,
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    bounds: { total: 600 },
  }),
  step({
    id: 'set-boot',
    title: 'Set the boot override to the media',
    phase,
    needs: ['media-inserted'],
    makes: ['override-set'],
    breaks: ['override-cleared'],
    leaves: ['override'],
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    bounds: { total: 300 },
  }),
  step({
    id: 'boot-agent',
    title: 'Power off, then on from the media',
    phase,
    needs: ['media-inserted', 'override-set'],
    makes: ['agent-booted'],
    breaks: ['powered-off', 'disk-booted'],
    leaves: ['power'],
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    bounds: { total: 600 },
  }),
  step({
    id: 'await-agent',
    title: 'Wait for the deploy agent',
    phase,
    needs: ['agent-booted'],
    makes: ['agent-alive'],
    awaits: 'agent',
    owner: 'provisioning operators',
    faultDomain: 'deploy-agent',
    silence: 'AGENT_SILENT',
    restarts: 1,
    bounds: { total: 1800 },
  }),
  step({
    id: 'check-hardware',
    title: 'Compare what the agent sees with the contract',
    phase,
    needs: ['agent-alive'],
    makes: ['hardware-checked'],
    owner: BMC_OWNER,
    faultDomain: 'hardware',
    bounds: { total: 300 },
  }),
];

/** From a running agent to a node that is off, with nothing of ours left on its BMC. */
export const leaveAgentSteps = (phase: WorkingPhase, needs: readonly string[]): Step[] => [
  step({
    id: 'sync',
    title: 'Flush the disks',
    phase,
    needs: ['agent-alive', ...needs],
    makes: ['synced'],
    owner: 'provisioning operators',
    faultDomain: 'deploy-agent',
    bounds: { total: 300 },
  }),
  step({
    id: 'power-off',
    title: 'Power off, proven',
    phase,
    needs: ['synced'],
    makes: ['powered-off'],
    breaks: ['agent-booted', 'agent-alive'],
    clears: ['power'],
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    bounds: { total: 600 },
  }),
  step({
    id: 'eject-media',
    title: 'Eject the deploy media',
    phase,
    needs: ['powered-off'],
    makes: ['media-ejected'],
    breaks: ['media-inserted'],
    clears: ['media'],
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    bounds: { total: 300 },
  }),
  step({
    id: 'clear-boot',
    title: 'Clear the boot override',
    phase,
    needs: ['powered-off'],
    makes: ['override-cleared'],
    breaks: ['override-set'],
    clears: ['override'],
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    bounds: { total: 300 },
  }),
];
