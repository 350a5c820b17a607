import { changesOf } from '../core/acceptance/causes.ts';
import { effectiveNode, type EffectiveNode } from '../contracts/inventory/effective.ts';
import type { Inventory } from '../contracts/inventory/inventory.ts';
import { fail } from '../core/errors/failure.ts';
import { asPromoted } from '../core/images.ts';
import type { JsonObject } from '../core/json.ts';
import type {
  EvidenceRef,
  OnFailure,
  OpenedOperation,
  OperationInput,
  OperationReport,
} from '../core/operations.ts';
import { DRIVER_PLANS, supportedVerbs } from '../core/plans/index.ts';
import { mayLeave, RESIDUES, type Step } from '../core/steps.ts';
import type { OperationKind } from '../core/verbs.ts';
import { startCausedRun, wantsRun } from './acceptance-runs/caused.ts';
import { fence } from './fence.ts';
import type { Site } from './site.ts';
import { requireGates } from './standing/requires.ts';

const HOUR = 3600;
/** How long a held operation waits for someone, unless the contract says otherwise. */
const HOLD_FOR = 7 * 24 * HOUR;
/** Deadlines, unless the request or the contract says otherwise. Erasing large disks takes days. */
const DEADLINES: { readonly [K in OperationKind]?: number } = {
  enroll: HOUR,
  inspect: HOUR,
  clean: 72 * HOUR,
  deploy: 8 * HOUR,
  reimage: 8 * HOUR,
  release: 72 * HOUR,
  decommission: 72 * HOUR,
};
const DEADLINE = 4 * HOUR;

/** Which time-out of the contract bounds which step. */
const STEP_TIMEOUTS = {
  'insert-media': 'media',
  'eject-media': 'media',
  'boot-agent': 'power',
  'power-off': 'power',
  'boot-disk': 'power',
  'set-power': 'power',
  stop: 'power',
  'await-agent': 'agent',
  'write-image': 'imageWrite',
  deploy: 'imageWrite',
  rebuild: 'imageWrite',
  erase: 'erase',
  'await-first-boot': 'firstBoot',
  'hand-over': 'handOver',
} as const;

/** Stores the contract by its hash and makes the plan that the workflow runs as data. */
export async function openOperation(site: Site, input: OperationInput): Promise<OpenedOperation> {
  await fence(site, input);
  const inventory = await withPromoted(site, await site.inventory(), input.args['image']);
  const node = effectiveNode(inventory, input.node);
  await requireGates(site, inventory, input);
  const plans = DRIVER_PLANS[node.driver];
  const steps = planOf(input, node);
  const { site: siteName, requestId, kind, generation } = input;
  return {
    ref: {
      site: siteName,
      node: input.node,
      requestId,
      kind,
      generation,
      contractHash: await site.contracts.store(inventory),
    },
    driver: node.driver,
    steps: steps.map((step) => bounded(step, inventory)),
    observed: plans.observed,
    residue: leftBy(input, node),
    onFailure: input.onFailure ?? defaultOnFailure(input, inventory),
    holdForSeconds: inventory.holdFor ?? HOLD_FOR,
    onHold: inventory.onHold ?? 'safe',
    deadlineSeconds: input.deadlineSeconds ?? deadlineOf(kind, inventory),
    supports: supportedVerbs(node.driver),
    retired: node.retired,
  };
}

/** The contract with the promoted version of the image that is asked for: the operation keeps it to its end. */
async function withPromoted(site: Site, contract: Inventory, name: unknown): Promise<Inventory> {
  const image = contract.images.find((each) => each.name === name);
  const found = image && (await site.promoted(image.name));
  if (found === undefined) return contract;
  const images = contract.images.map((each) =>
    each === image ? asPromoted(each, found.version, found.url) : each,
  );
  return { ...contract, images };
}

function planOf({ kind, args }: OperationInput, node: EffectiveNode): readonly Step[] {
  if (kind === 'cleanup') return [];
  const plan = DRIVER_PLANS[node.driver].plan(kind, args);
  if (!plan) throw fail('NOT_SUPPORTED', `The driver ${node.driver} of ${node.name} cannot ${kind} yet.`);
  return plan;
}

/** For a clean-up: what is known to be left, and whatever a lost operation may have left. */
function leftBy({ cleanup, residue }: OperationInput, node: EffectiveNode): OpenedOperation['residue'] {
  if (!cleanup) return [];
  const { kind, lost } = cleanup;
  const plan = kind === 'cleanup' ? undefined : DRIVER_PLANS[node.driver].plan(kind, {});
  const may = lost ? mayLeave(plan ?? []) : [];
  return RESIDUES.filter((r) => residue.includes(r) || may.includes(r));
}

/** People who ask and watch want to correct and go on; a schedule wants its verdict. */
function defaultOnFailure({ source }: OperationInput, inventory: Inventory): OnFailure {
  if (source === 'update') return 'hold';
  return source === 'signal' ? (inventory.onFailure ?? 'hold') : 'fail';
}

function deadlineOf(kind: OperationKind, inventory: Inventory): number {
  const given = kind === 'cleanup' ? undefined : inventory.timeouts?.deadlines?.[kind];
  return given ?? DEADLINES[kind] ?? DEADLINE;
}

function bounded(step: Step, inventory: Inventory): Step {
  const name = STEP_TIMEOUTS[step.id as keyof typeof STEP_TIMEOUTS];
  const total = name && inventory.timeouts?.[name];
  return total ? { ...step, bounds: { ...step.bounds, total } } : step;
}

/** Starts the acceptance run that the contract wants for what the operation changed or found changed. */
async function runsFor(site: Site, report: OperationReport): Promise<void> {
  try {
    const changes = changesOf(report);
    if (changes.length === 0 || report.contractHash === undefined) return;
    const contract = await site.contracts.load(report.contractHash);
    // One run looks at all of it.
    const change = changes.find((each) => wantsRun(contract, each));
    const runId = change && (await startCausedRun(site.client, contract, change));
    if (runId !== undefined) site.log.info({ runId, node: report.node }, 'an acceptance run was started');
  } catch (err) {
    site.log.error({ err, node: report.node }, 'the acceptance run for a change could not be started');
  }
}

/** Keeps the final report as evidence and deletes the secret inputs of the request. */
export async function closeOperation(
  site: Site,
  { report, args }: { report: OperationReport; args: JsonObject },
): Promise<EvidenceRef[]> {
  const { userData } = args;
  if (typeof userData === 'string' && userData.startsWith('blob:')) await site.blobs.delete(userData);
  const { site: siteName, node, requestId } = report;
  const ref = await site.evidence.put(
    {
      site: siteName,
      node,
      requestId,
      step: 'operation',
      name: 'report',
      asked: `${report.kind} of ${node}`,
      of: node,
      from: `operation ${requestId}`,
      answer: report as unknown as JsonObject,
    },
    site.secrets,
  );
  await runsFor(site, report);
  return [ref];
}
