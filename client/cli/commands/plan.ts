import type { Command } from 'commander';
import { effectiveNode, imageOf } from '../../../contracts/inventory/effective.ts';
import { decide, type Decision } from '../../../core/decide.ts';
import { formatDuration } from '../../../core/duration.ts';
import { fail, RackwrightError, type Failure } from '../../../core/errors/failure.ts';
import { parseVerb } from '../../../core/messages.ts';
import { newNode, type NodeRecord } from '../../../core/node.ts';
import { DRIVER_PLANS, supportedVerbs } from '../../../core/plans/index.ts';
import type { Step } from '../../../core/steps.ts';
import {
  ALL_VERBS,
  isOperationVerb,
  isVerb,
  operationVerb,
  type OperationVerbName,
} from '../../../core/verbs.ts';
import { newId } from '../../sdk/ids.ts';
import { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { failureLines } from '../progress.ts';
import { messageOf, VERB_COMMANDS, type VerbOptions } from '../verbs.ts';
import { nodeName } from './node.ts';

/** `rackwright plan VERB NODE`: what would be done, and whether the node would accept it. Touches nothing. */
export function addPlanCommand(program: Command): void {
  const plan = program
    .command('plan <verb> <node> [argument]')
    .description('what a verb would do; nothing is touched');
  const options = ALL_VERBS.filter(isOperationVerb).flatMap((verb) => VERB_COMMANDS[verb].options);
  for (const each of new Map(options.map((option) => [option.long, option])).values()) plan.addOption(each);
  plan.action(
    (verb: string, node: string, argument: string | undefined, given: VerbOptions, command: Command) =>
      showPlan(new Context(command), operationVerbOf(verb), nodeName(node), argument, given),
  );
}

function operationVerbOf(given: string): OperationVerbName {
  if (isVerb(given) && isOperationVerb(given)) return given;
  const known = ALL_VERBS.filter(isOperationVerb).join(', ');
  throw fail('INVALID_MESSAGE', `verb must be one of ${known}.`);
}

async function showPlan(
  context: Context,
  verb: OperationVerbName,
  name: string,
  argument: string | undefined,
  given: VerbOptions,
): Promise<void> {
  const { io } = context;
  const inventory = await context.requireInventory();
  const node = effectiveNode(inventory, name);
  const message = planMessage(verb, argument, given, inventory.images[0]?.name);
  if (typeof given['image'] === 'string') imageOf(inventory, given['image']);
  const parsed = parseVerb(verb, message, newId);
  if (!parsed.ok) throw fail('INVALID_MESSAGE', parsed.failure.message, parsed.failure);
  const steps = DRIVER_PLANS[node.driver].plan(verb, parsed.value.args);
  if (steps === undefined) {
    throw fail('NOT_SUPPORTED', `Driver ${node.driver} of ${name} cannot ${verb} yet.`);
  }

  const { state, unknown } = await stateOf(context, name);
  const record = state ? { ...state, supports: supportedVerbs(node.driver) } : undefined;
  const decision = record ? decide(record, parsed.value) : undefined;
  const refusal = decision?.kind === 'refuse' ? decision.failure : undefined;
  const { from, through, to } = operationVerb(verb);
  const document = { verb, node: name, driver: node.driver, from, through, to, phase: state?.phase ?? null };
  io.answer(
    { ...document, accepted: decision ? refusal === undefined : null, refusal: refusal ?? null, steps },
    () => [
      `${verb} of ${name} by driver ${node.driver}: ${[...through, to === 'return' ? 'back to where it was' : to].join(' → ')}`,
      ...io.table(['STEP', 'WHAT', 'AT MOST', 'OWNER', 'FAULT DOMAIN', 'REPEATABLE'], steps.map(stepRow)),
      ...standing(context, state, decision, unknown),
    ],
  );
  if (refusal) process.exitCode = EXIT.fail;
}

/** The message, with an image filled in where only the plan is asked for. */
function planMessage(
  verb: OperationVerbName,
  argument: string | undefined,
  given: VerbOptions,
  image: string | undefined,
): ReturnType<typeof messageOf> {
  const needsImage = verb === 'deploy' || verb === 'reimage';
  const filled = {
    ...(needsImage && image !== undefined ? { image } : {}),
    ...(verb === 'power' && argument === undefined ? { state: 'on' } : {}),
    ...(verb === 'service' ? { step: ['firmware'] } : {}),
    ...(verb === 'adopt' ? { owner: 'someone' } : {}),
  };
  return messageOf(verb, argument, { ...filled, ...given });
}

const stepRow = (step: Step): string[] => [
  step.id,
  step.title,
  formatDuration(step.bounds.total),
  step.owner,
  step.faultDomain,
  step.repeatable ? 'yes' : 'no',
];

/** The node's state, if something runs that can tell; else why it is not known. */
async function stateOf(context: Context, name: string): Promise<{ state?: NodeRecord; unknown?: string }> {
  try {
    return await context.connected(async (rackwright) => ({
      state: (await rackwright.state(name)) ?? newNode(rackwright.site, name),
    }));
  } catch (error) {
    if (error instanceof RackwrightError) return { unknown: error.failure.message };
    throw error;
  }
}

function standing(
  { io }: Context,
  state: NodeRecord | undefined,
  decision: Decision | undefined,
  unknown: string | undefined,
): string[] {
  if (state === undefined) return [`Whether the node would accept it is not known: ${unknown}`];
  const refusal: Failure | undefined = decision?.kind === 'refuse' ? decision.failure : undefined;
  if (refusal) return [`The node would refuse it now:`, ...failureLines(io, refusal)];
  return [`The node is ${state.phase} and would accept it.`];
}
