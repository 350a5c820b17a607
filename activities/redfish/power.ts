import type { ErrorCode } from '../../core/errors/catalogue.ts';
import { fail, notYet, RackwrightError } from '../../core/errors/failure.ts';
import type { Convergence } from '../../core/redfish/convergence.ts';
import {
  readPower,
  readResetTypes,
  resetCandidates,
  resetTarget,
  type PowerAsked,
  type PowerGoal,
  type PowerReading,
} from '../../core/redfish/power.ts';
import { codeOf, refusal, type RedfishResponse } from './errors.ts';
import { readResource, type Resource } from './service.ts';
import type { Bmc } from './transport.ts';

export interface PowerOptions {
  /** Asks the OS to shut down first, and forces it after this time. Left out: forced at once. */
  readonly gracefulMs?: number;
  /** The system as it was read a moment ago, with nothing written since. @default it is read */
  readonly seen?: Pick<Resource, 'body'>;
  /** What an earlier look had asked, if another process made it. */
  readonly asked?: PowerAsked | undefined;
  /** How long one look watches for the effect of its own request. @default 3000 */
  readonly watchMs?: number;
  /** How long an unanswered request is believed to be on its way before it is sent again. @default 30000 */
  readonly patienceMs?: number;
  /** When to look again. @default 2000 */
  readonly retryAfterMs?: number;
}

/**
 * One look at the power state: asks for a change only if the state differs and nothing asked for is
 * still on its way. Reached means that the BMC reads as asked, whatever it answered to the request.
 */
export async function convergePower(
  bmc: Bmc,
  systemUri: string,
  goal: PowerGoal,
  options: PowerOptions = {},
): Promise<Convergence<PowerAsked>> {
  const { patienceMs = 30_000, watchMs = 3_000, retryAfterMs = 2_000 } = options;
  const asked = options.asked ?? bmc.memory.power.get(systemUri);
  const system = options.seen ?? (await readResource(bmc, systemUri));
  const now = readPower(system.body);
  const age = asked === undefined ? Number.POSITIVE_INFINITY : Date.now() - asked.at;
  const pending = (why: string, by: PowerAsked | undefined = asked): Convergence<PowerAsked> => ({
    state: 'pending',
    retryAfterMs,
    code: 'POWER_NOT_REACHED',
    why,
    asked: by,
  });

  if (now === goal) {
    // A request for the opposite that has not shown yet may still come true.
    if (asked !== undefined && asked.goal !== goal && age < patienceMs) {
      return pending(
        `the power is ${now}, but "${asked.resetType}" was sent ${seconds(age)} ago and may still apply`,
      );
    }
    return reached(bmc, systemUri, goal, asked);
  }
  const mine = asked?.goal === goal ? asked : undefined;
  if (mine !== undefined) {
    const forcing =
      goal === 'off' && options.gracefulMs !== undefined && mine.resetType === 'GracefulShutdown';
    const due = forcing ? Date.now() - mine.since >= options.gracefulMs! : age >= patienceMs;
    if (!due) return pending(`"${mine.resetType}" was sent ${seconds(age)} ago; the power reads ${now}`);
  }
  if (now === 'changing') return pending('the power is changing');

  const since = mine?.since ?? Date.now();
  const graceful = options.gracefulMs !== undefined && Date.now() - since < options.gracefulMs;
  const sent = await reset(bmc, systemUri, system.body, goal, graceful, since);
  if ('why' in sent) return { state: 'pending', ...sent, asked };
  const ends = Date.now() + watchMs;
  let reading: PowerReading = now;
  do {
    reading = readPower((await readResource(bmc, systemUri)).body);
    if (reading === goal) return reached(bmc, systemUri, goal, sent);
    if (Date.now() >= ends) break;
    await bmc.pause(Math.min(500, watchMs));
  } while (Date.now() < ends);
  return pending(`"${sent.resetType}" was accepted; the power reads ${reading}`, sent);
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

function reached(
  bmc: Bmc,
  systemUri: string,
  goal: PowerGoal,
  asked: PowerAsked | undefined,
): Convergence<PowerAsked> {
  bmc.memory.power.delete(systemUri);
  return { state: 'reached', changed: asked?.goal === goal, what: `the power is ${goal}` };
}

/** Sends the first reset type that is not refused as a value. "Not now" comes back as a reason to wait. */
async function reset(
  bmc: Bmc,
  systemUri: string,
  system: unknown,
  goal: PowerGoal,
  graceful: boolean,
  since: number,
): Promise<PowerAsked | { why: string; code: ErrorCode; retryAfterMs: number }> {
  let last: RedfishResponse | undefined;
  for (const resetType of resetCandidates(goal, graceful, readResetTypes(system))) {
    const asked: PowerAsked = { goal, resetType, at: Date.now(), since };
    bmc.memory.power.set(systemUri, asked);
    const answer = await bmc
      .send('POST', resetTarget(system, systemUri), { body: { ResetType: resetType } })
      .catch((error: unknown) => {
        // A request that broke after it was sent may have been carried out: it stays remembered.
        if (error instanceof RackwrightError && error.failure.code === 'BMC_UNREACHABLE') {
          bmc.memory.power.delete(systemUri);
        }
        throw error;
      });
    if (answer.status < 400) return asked;
    bmc.memory.power.delete(systemUri);
    last = answer;
    // Already there is an error to some: what counts is how it reads.
    if (readPower((await readResource(bmc, systemUri)).body) === goal) return asked;
    const code = codeOf(answer);
    if (code === 'BMC_CONFLICT' || code === 'BMC_STATE_REFUSED') {
      const { message } = refusal(answer, `"${resetType}"`);
      return { why: message, code, retryAfterMs: answer.headers.retryAfterMs ?? 5_000 };
    }
    // Only a plain refusal leads to the next type: a fault of the moment must not turn a shutdown into a cut.
    if (code !== 'BMC_REFUSED') throw refusal(answer, `"${resetType}"`);
  }
  throw refusal(last!, `Switching the power ${goal}`, 'POWER_REFUSED');
}

/** How far a reboot has come. Plain JSON; given to the next look. */
export interface RebootProgress {
  readonly stage: 'off' | 'on';
  readonly asked?: PowerAsked | undefined;
}

/** One look at a reboot: off, proven, then on, proven. The reset types that restart are not trusted. */
export async function convergeReboot(
  bmc: Bmc,
  systemUri: string,
  progress: RebootProgress | undefined,
  options: Omit<PowerOptions, 'asked' | 'seen'> = {},
): Promise<Convergence<RebootProgress>> {
  const { stage, asked } = progress ?? { stage: 'off' };
  const look = await convergePower(bmc, systemUri, stage, { ...options, asked });
  if (look.state === 'pending') return { ...look, asked: { stage, asked: look.asked } };
  if (stage === 'on') return { state: 'reached', changed: true, what: 'the power was off and is on' };
  return convergeReboot(bmc, systemUri, { stage: 'on' }, options);
}

/** Looks again until the power is as asked or the time is over. */
export function ensurePower(
  bmc: Bmc,
  systemUri: string,
  goal: PowerGoal,
  options: Omit<PowerOptions, 'seen'> & { readonly deadlineMs: number },
): Promise<void> {
  return untilReached(bmc, options.deadlineMs, (asked: PowerAsked | undefined) =>
    convergePower(bmc, systemUri, goal, { ...options, asked }),
  );
}

/** Repeats a look until it is reached; after the deadline, the error says what it was waiting for. */
export async function untilReached<Asked>(
  bmc: Bmc,
  deadlineMs: number,
  look: (asked: Asked | undefined) => Promise<Convergence<Asked>>,
): Promise<void> {
  const ends = Date.now() + deadlineMs;
  let asked: Asked | undefined;
  for (;;) {
    const result = await look(asked);
    if (result.state === 'reached') return;
    if (Date.now() + result.retryAfterMs >= ends) throw fail(result.code, `Not in time: ${result.why}.`);
    asked = result.asked;
    await bmc.pause(result.retryAfterMs);
  }
}

/** The retryable failure of a look that is not there yet, for an activity that is called again. */
export const pendingError = (look: Extract<Convergence, { state: 'pending' }>): RackwrightError =>
  notYet(look.code, `Not yet: ${look.why}.`, look.retryAfterMs);
