import { failure, fail, notYet } from '../../../../core/errors/failure.ts';
import { ACCEPTANCE_OWNER } from '../../../../core/acceptance/node-standing.ts';
import type { StepReport } from '../../../../core/operations.ts';
import type { DriverName } from '../../../../core/plans/index.ts';
import { endOf } from '../../../console/console.ts';
import type { CheckContext, CheckFunction } from '../../check.ts';
import { noServer, requestIdOf, result, serverOf, wrong } from '../server.ts';
import { operationOf, type Followed } from './operation.ts';

/** How often the deployment is looked at. */
const LOOK_MS = 5000;

/** Which steps of a driver's deployment show what a check is about; none: the driver does not see it. */
type Steps = { readonly [D in DriverName]: readonly string[] };

/** The deployment, as it stands. Throws where this run of the gate has asked for none. */
async function deployment(context: CheckContext): Promise<Followed> {
  const report = await operationOf(context, 'deploy');
  if (report) return report;
  throw fail('CHECK_NO_RESULT', `There is no operation ${requestIdOf(context, 'deploy')}.`);
}

/** Waits until steps of the deployment are done, and tells what they found. */
function bySteps(steps: Steps): CheckFunction {
  return {
    skip: (inventory) => {
      const none = noServer(inventory);
      if (none !== undefined) return none;
      const node = inventory.nodes.find(({ name }) => name === inventory.acceptance?.node);
      return node && steps[node.driver].length === 0
        ? `the driver ${node.driver} of ${node.name} does not show it by itself`
        : undefined;
    },
    async run(context) {
      const { node } = serverOf(context);
      const report = await deployment(context);
      const own = report.steps.filter(({ id }) => steps[node.driver].includes(id));
      const failed = own.find(({ state }) => state === 'failed');
      if (failed?.failure)
        return wrong(node.name, [failed.failure], failed.failure.faultDomain, failed.evidence);
      if (own.length > 0 && own.every(({ state }) => state === 'done'))
        return result('pass', said(own), evidenceOf(own));
      if (report.outcome === undefined) throw running(report);
      throw notReached(report);
    },
  };
}

const said = (steps: readonly StepReport[]): string =>
  steps.flatMap(({ summary }) => summary ?? []).join('; ');

const evidenceOf = (steps: readonly StepReport[]) => ({
  evidence: steps.flatMap(({ evidence }) => evidence ?? []),
});

const running = ({ steps, requestId }: Followed): Error => {
  const step = steps.find(({ state }) => state === 'running' || state === 'waiting');
  return notYet(
    'CHECK_TIMEOUT',
    `The deployment ${requestId} is still at: ${step?.title ?? 'its beginning'}.`,
    LOOK_MS,
  );
};

const notReached = ({ failure: f, requestId }: Followed): Error =>
  fail('CHECK_NOT_MADE', `The deployment ${requestId} ended before it${f ? `: ${f.code}` : ''}.`, {
    retryable: false,
  });

const AGENT: Steps = { redfish: ['await-agent'], ironic: [] };
const IMAGE: Steps = { redfish: ['write-image', 'verify-image'], ironic: ['deploy'] };
const FIRST_BOOT: Steps = { redfish: ['await-first-boot'], ironic: [] };
const HAND_OVER: Steps = { redfish: ['hand-over'], ironic: ['hand-over'] };

export const agentCalledBack = bySteps(AGENT);
export const imageWritten = bySteps(IMAGE);
export const firstBoot = bySteps(FIRST_BOOT);
export const guestReached = bySteps(HAND_OVER);

/** Whether another check tells of the step that a deployment failed at. */
const isToldElsewhere = ({ steps }: Followed, driver: DriverName): boolean =>
  [AGENT, IMAGE, FIRST_BOOT, HAND_OVER].some((own) =>
    steps.some(({ id, state }) => state === 'failed' && own[driver].includes(id)),
  );

/** The deployment passes, and the node says so of itself. */
export const serverActive: CheckFunction = {
  skip: noServer,
  async run(context) {
    const { node, image } = serverOf(context);
    const report = await deployment(context);
    if (report.outcome === undefined) throw running(report);
    const evidence = report.evidence.filter(({ name }) => name === 'report' || name === 'failing-state');
    if (report.outcome !== 'pass' && isToldElsewhere(report, node.driver)) throw notReached(report);
    if (report.outcome !== 'pass') {
      const f = report.failure ?? failure('UNEXPECTED', `The deployment ended as ${report.outcome}.`);
      return wrong(node.name, [f], f.faultDomain, evidence);
    }
    const record = await context.site.records.read(context.site.name, node.name);
    if (record?.operation) throw running(report);
    if (record?.phase !== 'active' || record.owner !== ACCEPTANCE_OWNER || record.image !== image) {
      const seen = `${record?.phase ?? 'unknown'}, owner ${record?.owner ?? 'none'}, image ${record?.image ?? 'none'}`;
      return wrong(
        node.name,
        [
          {
            message: `The deployment passed, and the record of ${node.name} says: ${seen}.`,
            correction: `Look at rackwright node history ${node.name}: somebody else may have used it.`,
          },
        ],
        'orchestrator',
      );
    }
    return result('pass', `${node.name} is active with ${image}`, { evidence });
  },
};

/** Something was written to the console since the deployment began. Its lines are no business of this check. */
export const consoleShown: CheckFunction = {
  skip: (inventory) => {
    const node = inventory.nodes.find(({ name }) => name === inventory.acceptance?.node);
    return (
      noServer(inventory) ??
      (node?.console === undefined ? 'not enabled: the node has no `console`' : undefined)
    );
  },
  async run(context) {
    const { node } = serverOf(context);
    const { startedAt } = await deployment(context);
    const { bytes, writtenAt } = await endOf(node.console!, context);
    const at = { bytes: bytes.length, writtenAt };
    const evidence = await context.evidence(node.name, {
      asked: 'when something was last written to the console',
      answer: at,
    });
    if (at.bytes === 0 || (at.writtenAt !== null && at.writtenAt < startedAt)) {
      const last = at.writtenAt === null ? '' : `; the last was ${at.writtenAt}`;
      return wrong(
        node.name,
        [
          {
            message: `Nothing was written to the console of ${node.name} since the deployment began${last}.`,
            correction:
              'Let the image write to the serial port that the console keeps (`console=ttyS0`), and look whether what keeps it runs.',
          },
        ],
        'console',
        [evidence],
      );
    }
    return result(
      'pass',
      at.writtenAt === null ? 'it can be read, and is not empty' : `written to at ${at.writtenAt}`,
      { evidence: [evidence] },
    );
  },
};
