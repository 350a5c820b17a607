import type { WorkingPhase } from '../phases.ts';
import type { Step } from '../steps.ts';
import { BMC_OWNER } from './redfish-agent.ts';
import { step } from './step.ts';

/**
 * What a change of owner takes beside the erase. The order says why it is where it is: ways into the BMC are
 * closed before anything is worth protecting again; a TPM is asked to clear itself before the boot of the
 * agent, which is the reset that it waits for; boot entries go when what they point to is gone; what the firmware
 * boots is judged when the media is out too, which adds a boot option of its own.
 */

export const compareBmc = (phase: WorkingPhase): Step =>
  step({
    id: 'compare-bmc',
    title: 'Compare BMC accounts and host interface with the contract',
    phase,
    needs: ['bmc-reached'],
    makes: ['bmc-compared'],
    owner: BMC_OWNER,
    faultDomain: 'bmc',
    bounds: { total: 300 },
  });

export const clearTpm = (phase: WorkingPhase): Step =>
  step({
    id: 'clear-tpm',
    title: 'Ask the firmware to clear the TPM at the next reset',
    phase,
    needs: ['bmc-reached'],
    makes: ['tpm-clear-asked'],
    owner: BMC_OWNER,
    faultDomain: 'firmware',
    bounds: { total: 300 },
  });

/** The agent has called, so that the firmware is through with what waited for the reset. */
export const verifyTpm = (phase: WorkingPhase): Step =>
  step({
    id: 'verify-tpm',
    title: 'Read back that the TPM was cleared',
    phase,
    needs: ['tpm-clear-asked', 'agent-alive'],
    makes: ['tpm-cleared'],
    owner: BMC_OWNER,
    faultDomain: 'firmware',
    bounds: { total: 300 },
  });

/** The agent can reach the firmware's variables, as most BMCs cannot. */
export const cleanNvram = (phase: WorkingPhase): Step =>
  step({
    id: 'clean-nvram',
    title: 'Remove the boot entries of what was on the disks',
    phase,
    needs: ['agent-alive', 'erased'],
    makes: ['nvram-cleaned'],
    owner: BMC_OWNER,
    faultDomain: 'firmware',
    bounds: { total: 600 },
  });

export const compareBoot = (phase: WorkingPhase): Step =>
  step({
    id: 'compare-boot',
    title: "Compare the firmware's boot variables with the contract",
    phase,
    needs: ['erased', 'media-ejected', 'override-cleared'],
    makes: ['boot-compared'],
    owner: BMC_OWNER,
    faultDomain: 'firmware',
    bounds: { total: 300 },
  });
