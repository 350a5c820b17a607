import { ACCEPTANCE_OWNER, notTakenBack, type NotFree } from '../../../../core/acceptance/node-standing.ts';
import type { CheckResult } from '../../../../core/acceptance/report.ts';
import { failure, notYet, RackwrightError } from '../../../../core/errors/failure.ts';
import type { Json, JsonObject } from '../../../../core/json.ts';
import { stateOf } from '../../../drivers/state.ts';
import type { CheckContext, CheckFunction } from '../../check.ts';
import { noServer, requestIdOf, result, serverOf, wrong } from '../server.ts';
import { ask, hasTaken, operationOf } from './operation.ts';

const LOOK_MS = 5000;
/** How long a BMC may be silent after the release. */
const SILENCE_MS = 10 * 60_000;

/** Keeps what there is before anything is taken back. */
export const statesCaptured: CheckFunction = {
  skip: noServer,
  async run(context) {
    if (context.inventory.acceptance?.node === undefined) return result('skipped', 'no node is dedicated');
    const { node } = serverOf(context);
    const { site } = context;
    const evidence = await context.evidence(node.name, {
      asked: 'record of the node, report of the deployment, and state of the BMC, before the clean-up',
      answer: {
        record: ((await site.records.read(site.name, node.name)) ?? null) as unknown as Json,
        deployment: ((await operationOf(context, 'deploy')) ?? null) as unknown as Json,
        bmc: await bmcState(context).catch((error: unknown) => ({ unread: why(error) })),
      },
    });
    return result('pass', 'record, report and BMC', { evidence: [evidence] });
  },
};

const why = (error: unknown): string => {
  if (error instanceof RackwrightError) return `${error.failure.code}: ${error.failure.message}`;
  throw error;
};

/** Power, boot and media of the dedicated node; null where no BMC of ours carries it. */
const bmcState = (context: CheckContext): Promise<JsonObject | null> => {
  const { node } = serverOf(context);
  return stateOf({ ...context, node });
};

/**
 * Takes the server back, whatever became of the deployment, and looks whether the node is as free as before. What
 * this run of the gate has not asked for is left alone.
 */
export const serverReleased: CheckFunction = {
  skip: noServer,
  async run(context) {
    if (context.inventory.acceptance?.node === undefined) return result('skipped', 'no node is dedicated');
    const { node } = serverOf(context);
    const deployment = await operationOf(context, 'deploy');
    if (deployment === undefined) {
      if (await hasTaken(context, 'deploy')) {
        throw notYet('CHECK_TIMEOUT', `The deployment of ${node.name} is about to begin.`, LOOK_MS);
      }
      return result('skipped', 'nothing was deployed');
    }
    if (deployment.outcome === undefined) {
      await endDeployment(context);
      throw notYet('CHECK_TIMEOUT', `The deployment of ${node.name} is being ended.`, LOOK_MS);
    }
    const release = await operationOf(context, 'release');
    const { site } = context;
    const record = await site.records.read(site.name, node.name);
    // It is the acceptance's from the moment that the deployment is accepted. Anybody else's is not touched.
    const owner = record?.owner ?? null;
    if (owner !== null && owner !== ACCEPTANCE_OWNER) {
      return wrong(node.name, notTakenBack(node.name, record), 'orchestrator');
    }
    if (release === undefined && owner !== null) {
      await ask(context, 'release', {
        requestId: requestIdOf(context, 'release'),
        onFailure: 'fail',
        reason: `end of acceptance run ${context.input.runId}`,
      });
      throw notYet('CHECK_TIMEOUT', `${node.name} is being released.`, LOOK_MS);
    }
    if (release && release.outcome === undefined) {
      const step = release.steps.find(({ state }) => state === 'running' || state === 'waiting');
      throw notYet(
        'CHECK_TIMEOUT',
        `The release of ${node.name} is still at: ${step?.title ?? 'its beginning'}.`,
        LOOK_MS,
      );
    }
    if (release && release.outcome !== 'pass') {
      const f = release.failure ?? failure('UNEXPECTED', `The release ended as ${release.outcome}.`);
      return wrong(node.name, [f], f.faultDomain, release.evidence.slice(-5));
    }
    if (record?.operation) throw notYet('CHECK_TIMEOUT', `${node.name} is still busy.`, LOOK_MS);
    return compared(context, node.name, notTakenBack(node.name, record), (release ?? deployment).endedAt);
  },
};

/** One that has ended by itself meanwhile is what was wanted. */
async function endDeployment(context: CheckContext): Promise<void> {
  try {
    await ask(context, 'abort', { reason: 'the acceptance run takes its server back' });
  } catch (error) {
    if (!(error instanceof RackwrightError) || error.failure.code !== 'NOT_HELD') throw error;
  }
}

/**
 * Compares the node with one that is free. The time of this check is that of an erasure: what is silent after it is
 * not waited for as long.
 */
async function compared(
  context: CheckContext,
  name: string,
  found: readonly NotFree[],
  since = '',
): Promise<CheckResult> {
  const bmc = await bmcState(context).catch((error: unknown) => {
    const late = !(Date.now() - Date.parse(since) < SILENCE_MS);
    if (!late || !(error instanceof RackwrightError)) throw error;
    throw new RackwrightError({ ...error.failure, retryable: false });
  });
  const evidence = await context.evidence(name, {
    asked: 'record of the node and state of the BMC after the clean-up',
    answer: { record: found.map(({ message }) => message), bmc },
  });
  const media = (bmc?.['media'] ?? []) as { drive: string; ours: boolean }[];
  const left = media
    .filter(({ ours }) => ours)
    .map(({ drive }): NotFree => ({
      message: `Our media is still in ${drive} of the BMC of ${name}.`,
      correction: `Eject it at the BMC, and look why it could not be ejected: rackwright node history ${name}`,
    }));
  const all = [...found, ...left];
  if (all.length > 0) return wrong(name, all, 'orchestrator', [evidence]);
  return result('pass', `${name} is available again`, { evidence: [evidence] });
}
