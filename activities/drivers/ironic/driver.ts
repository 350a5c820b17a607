import { RackwrightError } from '../../../core/errors/failure.ts';
import { GOALS } from '../../../core/ironic/goals.ts';
import type { IronicNode } from '../../../core/ironic/node.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { IRONIC_OBSERVED } from '../../../core/plans/ironic.ts';
import type { Driver, Settled, StepContext } from '../driver.ts';
import { deploy, handOver, preflight, rebuild, undeploy } from './deploy.ts';
import { erase } from './erase.ts';
import { compare, inspect } from './inspect.ts';
import { setPower } from './power.ts';
import { pursue } from './pursue.ts';
import { manage, provide, register, unregister } from './register.ts';
import { findNode, withIronic } from './session.ts';
import { ironicWatcher } from './watcher.ts';

type Observed = (typeof IRONIC_OBSERVED)[number];

const asks =
  (holds: (node: IronicNode | undefined) => boolean) =>
  (context: StepContext): Promise<boolean> =>
    withIronic(context, async (session) => holds(await findNode(session)));
const inState = (state: string) => asks((node) => node?.provisionState === state);

const facts: Record<Observed, (context: StepContext) => Promise<boolean>> = {
  'ironic-node': asks((node) => node !== undefined),
  'ironic-manageable': inState('manageable'),
  'ironic-available': inState('available'),
  'ironic-active': inState('active'),
  'ironic-gone': asks((node) => node === undefined),
};

/** Carries nodes out through a standalone OpenStack Ironic. */
export const ironicDriver: Driver = {
  name: 'ironic',
  steps: {
    register,
    manage,
    inspect,
    compare,
    erase,
    provide,
    preflight,
    deploy,
    rebuild,
    'hand-over': handOver,
    undeploy,
    'set-power': setPower,
    unregister,
  },
  facts,
  settle,
  capture,
  watcher: () => ironicWatcher,
};

/** Takes a half-deployed instance down. Ironic ejects its own media and clears its own override. */
function settle(context: StepContext, residue: readonly string[]): Promise<Settled> {
  if (!residue.includes('allocation')) {
    return Promise.resolve({
      left: [],
      summary: 'Nothing of ours is left: Ironic keeps its own media and override.',
    });
  }
  return withIronic(context, async (session) => {
    const found = await findNode(session);
    if (found === undefined) return { left: [], summary: 'Ironic has no such node, hence no allocation.' };
    // Under a name of its own, so that its request is not taken for that of the step that failed.
    const settling = { ...session, context: { ...context, input: { ...context.input, step: 'settle' } } };
    const { node } = await pursue(settling, GOALS.undeployed);
    const power = /^power (on|off)$/.exec(node.powerState ?? '')?.[1];
    const summary = `No instance is left on node ${node.uuid} (${node.provisionState}).`;
    return { left: [], summary, ...(power === undefined ? {} : { data: { power } }) };
  });
}

/** The node in Ironic at the moment of a failure. Never throws for a silent Ironic. */
async function capture(context: StepContext): Promise<JsonObject> {
  try {
    return await withIronic(context, async (session) => {
      const node = await findNode(session);
      if (node === undefined) return { node: null };
      const history = await session.ironic.history(node.uuid);
      const { uuid, driver, interfaces, provisionState, targetProvisionState, provisionUpdatedAt } = node;
      const { powerState, targetPowerState, lastError, maintenance, maintenanceReason, fault, reservation } =
        node;
      return {
        uuid,
        driver,
        interfaces: { ...interfaces },
        provisionState,
        targetProvisionState,
        provisionUpdatedAt,
        powerState,
        targetPowerState,
        lastError,
        maintenance,
        maintenanceReason,
        fault,
        reservation,
        marker: node.extra['rackwright'] ?? null,
        history: history?.slice(0, 10).map((event) => ({ ...event })) ?? null,
      };
    });
  } catch (cause) {
    if (cause instanceof RackwrightError)
      return { unavailable: { ...cause.failure } as unknown as JsonObject };
    return { unavailable: cause instanceof Error ? cause.name : 'unknown' };
  }
}
