import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { Controller } from '../../../contracts/inventory/platform.ts';
import type { CheckResult } from '../../../core/acceptance/report.ts';
import { fail, RackwrightError } from '../../../core/errors/failure.ts';
import type { FaultDomain } from '../../../core/fault-domains.ts';
import { hostScript, readAnswers, type Answers, type Questions } from '../../../core/host/answers.ts';
import type { Json } from '../../../core/json.ts';
import type { EvidenceRef } from '../../../core/operations.ts';
import { runOn, type RunResult, type SshHost } from '../../ssh/run.ts';
import { eachTarget, type CheckContext, type Look } from '../check.ts';
import { firstWords } from '../../../core/whole-words.ts';

/** Whose it is where a finding about a host names nobody else. */
export const HOST_DOMAIN: FaultDomain = 'control-host';
/** Of one script on a host, from the first packet to the last. */
const WHOLE_MS = 45_000;
/** Of what one script says. */
const MOST_BYTES = 2 * 1024 * 1024;

/** Why there is nothing to check, where the contract names no controllers. */
export const noControllers = ({ controllers }: Inventory): string | undefined =>
  controllers.length > 0 ? undefined : 'the contract names no controllers';

/** How a controller is logged in to. Throws CONTRACT_INVALID where the contract does not say. */
export function sshOf({ name, address, ssh }: Controller): SshHost {
  if (ssh === undefined) {
    throw fail('CONTRACT_INVALID', `The contract does not say how controller ${name} is logged in to.`, {
      correction: `Add \`ssh\` with \`user\` and \`key\` to controller ${name}.`,
    });
  }
  return {
    label: `controller ${name}`,
    host: ssh.host ?? address,
    port: ssh.port ?? 22,
    user: ssh.user,
    key: ssh.key,
    hostKey: ssh.hostKey,
  };
}

/** Runs a command on a controller. Throws SSH_* errors. */
export const onController = (
  { secret, signal }: CheckContext,
  controller: Controller,
  words: readonly string[],
): Promise<RunResult> =>
  runOn(sshOf(controller), words, { secret, signal, wholeMs: WHOLE_MS, maxBytes: MOST_BYTES });

/** What a controller answered, and where that is kept. */
export interface Asked {
  readonly answers: Answers;
  readonly evidence: EvidenceRef;
}

/**
 * Asks a controller, in one script. What it says is kept, whatever it is.
 * Throws SSH_* errors, and HOST_ANSWER_INVALID.
 */
export async function askController(
  context: CheckContext,
  controller: Controller,
  questions: Questions,
  args: readonly string[] = [],
): Promise<Asked> {
  const words = ['sh', '-c', hostScript(questions), 'sh', ...args];
  const { stdout, stderr } = await onController(context, controller, words);
  const answers = readAnswers(stdout, questions);
  const evidence = await context.evidence(controller.name, {
    asked: shownQuestions(controller, questions, args),
    answer: {
      ...answers,
      ...(stderr.trim() === '' ? {} : { stderr: firstWords(stderr, 4096) }),
    } as unknown as Json,
  });
  return { answers, evidence };
}

function shownQuestions(controller: Controller, questions: Questions, args: readonly string[]): string {
  const { user, host, port } = sshOf(controller);
  const given = args.length === 0 ? '' : `, given ${args.join(' ')}`;
  return [`${user} at ${host}, port ${port}${given}:`, ...Object.values(questions)].join('\n');
}

/** A controller's answer, read, with what was kept of it. */
export interface Seen<T> {
  readonly seen: T;
  readonly evidence: readonly EvidenceRef[];
}

/**
 * Asks all controllers, then judges each beside the others that answered. One that cannot be asked is an error of
 * its own; the others are judged all the same.
 */
export async function besideEachOther<T>(
  context: CheckContext,
  controllers: readonly Controller[],
  ask: (controller: Controller) => Promise<Seen<T>>,
  judge: (controller: Controller, seen: T, others: ReadonlyMap<string, T>) => Look,
): Promise<CheckResult> {
  const answered = new Map<string, Seen<T>>();
  const errors = new Map<string, RackwrightError>();
  await eachTarget(context, HOST_DOMAIN, controllers, async (controller) => {
    try {
      answered.set(controller.name, await ask(controller));
    } catch (error) {
      if (error instanceof RackwrightError) errors.set(controller.name, error);
      throw error;
    }
    return { found: { right: 'asked' } };
  });
  return eachTarget(context, HOST_DOMAIN, controllers, async (controller) => {
    const own = answered.get(controller.name);
    if (own === undefined) throw forGood(errors.get(controller.name)!);
    const others = [...answered].filter(([name]) => name !== controller.name);
    const found = judge(controller, own.seen, new Map(others.map(([name, { seen }]) => [name, seen])));
    return { found, evidence: own.evidence };
  });
}

/** It has been tried again often enough. */
export const forGood = ({ failure }: RackwrightError): RackwrightError =>
  new RackwrightError({ ...failure, retryable: false });
