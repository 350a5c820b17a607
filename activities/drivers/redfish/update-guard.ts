import { fail } from '../../../core/errors/failure.ts';
import { updateStanding } from '../../../core/redfish/firmware-task.ts';
import { serviceWork } from '../../../core/service-work.ts';
import type { OperationKind } from '../../../core/verbs.ts';
import { lookAtTask } from '../../redfish/task.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { UpdateEntry } from '../../redfish/update-journal.ts';
import type { StepContext } from '../driver.ts';
import { QUIET_MS } from './firmware-follow.ts';

/** Operations that switch nothing, and what makes a node safe. */
const UNHARMFUL: ReadonlySet<OperationKind> = new Set(['enroll', 'inspect', 'adopt', 'cleanup']);

/**
 * Throws "not now" while an update that an earlier operation of ours began is at work: a host that is switched off
 * under it may never start again. A `service` of the firmware takes it up itself.
 */
export async function requireNoUpdate({ site, node, input }: StepContext, bmc: Bmc): Promise<void> {
  const { kind } = input.ref;
  if (UNHARMFUL.has(kind) || (kind === 'service' && serviceWork(input.args).firmware !== undefined)) return;
  const entry = await site.updates.read(node.name);
  if (entry === undefined || !(await isAtWork(bmc, entry))) return;
  throw fail(
    'FIRMWARE_BUSY',
    `The update of ${entry.component} to ${entry.version}, begun by ${entry.requestId}, is still at work.`,
    {},
    { retryAfterMs: 15_000 },
  );
}

async function isAtWork(bmc: Bmc, { stage, task, askedAt, lookSince }: UpdateEntry): Promise<boolean> {
  if (stage !== 'asking' && stage !== 'asked') return false;
  if (task === null) return Date.now() - askedAt < QUIET_MS;
  return updateStanding(await lookAtTask(bmc, task), Date.now() - lookSince) === 'running';
}
