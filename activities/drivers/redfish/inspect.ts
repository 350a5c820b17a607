import { objectOf } from '../../../core/agent/read.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { driftText, wordsOf } from '../../../core/redfish/drift.ts';
import type { Finding } from '../../../core/redfish/findings.ts';
import { compareKept, withLook, type Compared } from '../../../core/redfish/kept.ts';
import { lookOf } from '../../../core/redfish/look.ts';
import { inspectSystem } from '../../redfish/inspect.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { onSystem, sentence } from './bmc.ts';
import { contractDifferences, digestOf, type InspectionDigest } from './differences.ts';
import { keepLogs, logSummary, positionsOf, readLogs } from './log-news.ts';

/** Reads what the node is made of from its BMC, and what its logs say since the last look. Nothing is written or booted. */
export const inspect: StepFunction = (context) => {
  const beganAt = Date.now();
  return onSystem(context, async (bmc, system) => {
    const { site, node, requestId } = context.input.ref;
    const kept = await context.site.inspections.read(site, node);
    const inspection = await inspectSystem(bmc, system);
    const evidence = await context.evidence('inspection', {
      asked: 'inventory, out of band',
      of: bmc.origin,
      answer: inspection as unknown as Json,
    });
    const logs = await readLogs(bmc, system, kept, { requestId, beganAt });
    const look = lookOf(inspection, new Date().toISOString(), requestId);
    await context.site.inspections.write(site, node, withLook(kept, look, positionsOf(logs)));
    const digest = digestOf(inspection);
    const unread = inspection.unread.length;
    const { disagreements } = inspection.boot;
    return {
      summary: sentence(
        [inspection.system.manufacturer, inspection.system.model].filter(Boolean).join(' ') ||
          'unnamed system',
        `${digest.gpus.length} GPUs, ${digest.driveBytes.length} drives, ${digest.macs.length} MAC addresses told`,
        unread === 0 ? undefined : `${unread} parts could not be read`,
        logSummary(logs),
        disagreements.length === 0 ? undefined : `told in two ways: ${disagreements.join('; ')}`,
      ),
      data: {
        inspection: digest as unknown as JsonObject,
        ...(digest.power === 'on' || digest.power === 'off' ? { power: digest.power } : {}),
        ...(digest.health === null ? {} : { health: digest.health }),
      },
      evidence: [evidence, await keepLogs(context, bmc.origin, logs)],
    };
  });
};

/** How many findings travel in the operation's data; all of them are in the evidence. */
const MOST_FINDINGS = 16;

/**
 * Compares what was read with the contract and with what was accepted before. A node that is only looked at is marked
 * as drifted; one that is to be taken in must be as the contract says, and what was seen of it is accepted.
 */
export const compare: StepFunction = async (context) => {
  const { input, node } = context;
  const digest = objectOf(input.data['inspection']) as unknown as InspectionDigest;
  const { differences, untold } = contractDifferences(digest, node);
  const looking = input.ref.kind === 'inspect';
  if (differences.length > 0 && !looking) {
    throw fail('HARDWARE_MISMATCH', `Not as the contract says: ${differences.join('; ')}.`, {
      details: { differences: [...differences] },
    });
  }
  const compared = await compareWithLast(context, !looking || input.args['accept'] === true);
  const changes = compared?.drift.findings ?? [];
  // What is accepted is drift no more; what differs from the contract stays so.
  const drifted = compared?.accepted ? [] : changes;
  const evidence = await context.evidence('comparison', {
    asked: 'inspection compared with the contract and with the accepted inspection',
    of: input.ref.node,
    answer: {
      contract: { differences: [...differences], untold: [...untold] },
      since: compared?.since ?? null,
      accepted: compared?.accepted ?? false,
      changes: changes as unknown as Json,
      notes: [...(compared?.drift.notes ?? [])],
      untold: [...(compared?.drift.untold ?? [])],
    },
  });
  return {
    summary: sentence(
      differences.length > 0
        ? `differs from the contract: ${differences.join('; ')}`
        : 'as the contract says',
      untold.length === 0 ? undefined : `not told by the BMC: ${untold.join(', ')}`,
      ...words(compared),
    ),
    data: {
      // What could not be compared leaves the flag as it is.
      ...(compared === undefined && differences.length === 0
        ? {}
        : { drift: differences.length + drifted.length > 0 }),
      drifted: driftText([...differences, ...drifted.map(wordsOf)]),
      findings: [...differences.map(asFinding), ...drifted].slice(0, MOST_FINDINGS) as unknown as Json,
    },
    evidence: [evidence],
  };
};

/** A difference from the contract ("8 GPUs expected, seen: 7") in the form of a finding. */
const asFinding = (difference: string): Finding => {
  const [was = '', is = ''] = difference.split(' expected, ');
  return {
    what: 'not as the contract says',
    was,
    is: is.replace(/^seen: | seen$/g, ''),
    faultDomain: 'hardware',
    correction: 'Repair the hardware, or correct the machine type in the contract.',
  };
};

/** Compares with the accepted inspection what this operation saw; undefined if that is not kept any more. */
async function compareWithLast(
  { site, input }: StepContext,
  accepting: boolean,
): Promise<Compared | undefined> {
  const { site: name, node, requestId } = input.ref;
  const kept = await site.inspections.read(name, node);
  if (kept === undefined || kept.look.requestId !== requestId) return undefined;
  const compared = compareKept(kept, accepting);
  await site.inspections.write(name, node, compared.kept);
  return compared;
}

function words(compared: Compared | undefined): (string | undefined)[] {
  if (compared === undefined)
    return ['what was seen is not kept any more: not compared with the accepted inspection'];
  const { drift, since, accepted } = compared;
  const day = since?.at.slice(0, 10);
  const changed = drift.findings.map(wordsOf).join('; ');
  return [
    since === null
      ? 'no inspection before it: later ones are compared with this one'
      : changed === ''
        ? `nothing drifted since ${day}`
        : `${accepted ? 'accepted' : 'drifted'} since ${day}: ${changed}`,
    ...drift.notes,
    drift.untold.length === 0 ? undefined : `was there, and is not told now: ${drift.untold.join(', ')}`,
  ];
}
