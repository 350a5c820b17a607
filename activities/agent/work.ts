import { adopt, commandCode, type AgentCommand } from '../../core/agent/command.ts';
import { fail, notYet, type RackwrightError } from '../../core/errors/failure.ts';
import type { AgentClient } from './client.ts';

/** A piece of work of the agent that must not be done twice. */
export interface Once {
  /** The command with its extension: `standby.prepare_image`. */
  readonly command: string;
  /** Whether a finished command was this very piece of work. */
  readonly isOurs: (command: AgentCommand) => boolean;
  /** The parameters; made only if the command has to be sent. */
  readonly params: () => Promise<object>;
  /** What is being done, for people: `Writing the image`. */
  readonly what: string;
  /** The attempt of this run of the step: a failure that an earlier run was told of is not told again. */
  readonly attempt: number;
}

/** How long one attempt looks at a running command, and how often. */
export interface Patience {
  /** @default 20000 */
  readonly lookMs?: number;
  /** @default 1000 */
  readonly pollMs?: number;
  /** When the next attempt looks again. @default 5000 */
  readonly retryAfterMs?: number;
}

/** Does the work once, as `finishOnce`; throws what it failed with. */
export async function doOnce(
  agent: AgentClient,
  work: Once,
  pause: (ms: number) => Promise<void>,
  patience: Patience = {},
): Promise<AgentCommand> {
  const command = await finishOnce(agent, work, pause, patience);
  if (command.status === 'failed') throw commandFailure(command, work.what);
  return command;
}

/**
 * Does the work once: adopts what the agent is doing or has done, and sends the command only if there is
 * nothing to adopt. Returns the finished command, failed or not; throws "not yet" while it runs.
 */
export async function finishOnce(
  agent: AgentClient,
  work: Once,
  pause: (ms: number) => Promise<void>,
  patience: Patience = {},
): Promise<AgentCommand> {
  const { lookMs = 20_000, pollMs = 1_000, retryAfterMs = 5_000 } = patience;
  const name = work.command.slice(work.command.indexOf('.') + 1);
  let command =
    adopt(await agent.commands(), name, work.isOurs, work.attempt > 1) ??
    (await agent.start(work.command, await work.params()));
  const ends = Date.now() + lookMs;
  while (command.status === 'running' && Date.now() < ends) {
    await pause(pollMs);
    command = await agent.command(command.id);
  }
  if (command.status === 'running') {
    throw notYet('AGENT_COMMAND_RUNNING', `${work.what} goes on.`, retryAfterMs);
  }
  return command;
}

/** Runs a short command and returns its result. */
export async function run(agent: AgentClient, command: string, params: object = {}): Promise<unknown> {
  const answer = await agent.start(command, params, { wait: true });
  if (answer.status === 'failed') throw commandFailure(answer, command);
  if (answer.status === 'running') throw notYet('AGENT_COMMAND_RUNNING', `${command} goes on.`, 3_000);
  return answer.result;
}

/** What a failed command means. */
export function commandFailure(command: AgentCommand, what: string): RackwrightError {
  const { type, message } = command.error ?? { type: 'unknown error', message: '' };
  return fail(commandCode(type, message), `${what} failed: ${type}${message === '' ? '' : `: ${message}`}`, {
    details: { command: command.name, type },
  });
}
