import { notTakenBack, type NotFree } from '../../../core/acceptance/node-standing.ts';
import { failure, notYet, RackwrightError } from '../../../core/errors/failure.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { isOccupied } from '../../../core/redfish/media.ts';
import { readPower } from '../../../core/redfish/power.ts';
import { readBoot, shownBoot } from '../../../core/redfish/boot.ts';
import { endpointOf } from '../../drivers/redfish/bmc.ts';
import { listMedia } from '../../redfish/media-drives.ts';
import { findSystem } from '../../redfish/service.ts';
import { withBmc } from '../../redfish/transport.ts';
import type { CheckContext, CheckFunction } from '../check.ts';
import { ask, noServer, operationOf, OWNER, requestIdOf, result, serverOf, wrong } from './server.ts';

const LOOK_MS = 5000;

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
async function bmcState(context: CheckContext): Promise<JsonObject | null> {
  const { node } = serverOf(context);
  if (node.driver !== 'redfish' || node.bmc === undefined) return null;
  const { secret, signal } = context;
  return withBmc(
    await endpointOf({ node, secret }),
    async (bmc) => {
      const system = await findSystem(bmc, node.bmc?.system);
      const media = await listMedia(bmc, system);
      return {
        power: readPower(system.body),
        boot: shownBoot(readBoot(system.body)) as Json,
        media: media.filter(isOccupied).map(({ uri }) => uri),
      };
    },
    { signal },
  );
}

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
    if (deployment === undefined) return result('skipped', 'nothing was deployed');
    if (deployment.outcome === undefined) {
      await ask(context, 'abort', { reason: 'the acceptance run takes its server back' });
      throw notYet('CHECK_TIMEOUT', `The deployment of ${node.name} is being ended.`, LOOK_MS);
    }
    const release = await operationOf(context, 'release');
    const { site } = context;
    const record = await site.records.read(site.name, node.name);
    // A deployment that ended before it touched the node has left it available.
    if (release === undefined && (record?.owner === OWNER || record?.phase !== 'available')) {
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
    return compared(context, node.name, notTakenBack(node.name, record));
  },
};

async function compared(context: CheckContext, name: string, found: readonly NotFree[]) {
  const bmc = await bmcState(context);
  const evidence = await context.evidence(name, {
    asked: 'record of the node and state of the BMC after the clean-up',
    answer: { record: found.map(({ message }) => message), bmc },
  });
  const media = (bmc?.['media'] ?? []) as string[];
  const left: NotFree[] =
    media.length === 0
      ? []
      : [
          {
            message: `There is still media in ${media.join(', ')} of the BMC of ${name}.`,
            correction: `Eject it at the BMC; if it is ours, look why it could not be ejected: rackwright node history ${name}`,
          },
        ];
  const all = [...found, ...left];
  if (all.length > 0) return wrong(name, all, 'orchestrator', [evidence]);
  return result('pass', `${name} is available again`, { evidence: [evidence] });
}
