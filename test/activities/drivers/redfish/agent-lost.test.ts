import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { StepContext, StepFunction } from '../../../../activities/drivers/driver.ts';
import { whileAgentLives } from '../../../../activities/drivers/redfish/agent-lost.ts';
import { fail, notYet, RackwrightError } from '../../../../core/errors/failure.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const context = (requestId: string, agent?: number): StepContext =>
  ({
    input: { ref: { site: 's', node: 'n', requestId, generation: 1 }, step: 'erase', window: { epoch: 1 } },
    signal: new AbortController().signal,
    inventory: { timeouts: agent === undefined ? undefined : { agent } },
  }) as unknown as StepContext;

const silent = (): Promise<never> => Promise.reject(fail('AGENT_UNREACHABLE', 'It does not answer.'));
const busy = (): Promise<never> => Promise.reject(notYet('AGENT_COMMAND_RUNNING', 'It erases.', 1));

/** What the step says after so many seconds, and while the power reads so. */
async function after(
  seconds: number,
  step: StepFunction,
  at: StepContext,
  power: 'on' | 'off' | null = 'on',
): Promise<string> {
  vi.advanceTimersByTime(seconds * 1_000);
  return whileAgentLives(step, () => Promise.resolve(power))(at).then(
    () => 'done',
    (error: unknown) => (error instanceof RackwrightError ? error.failure.code : String(error)),
  );
}

it('an agent that was silent for as long as it may take to call is given up', async () => {
  const at = context('a', 60);
  expect(await after(0, silent, at)).toBe('AGENT_UNREACHABLE');
  expect(await after(59, silent, at)).toBe('AGENT_UNREACHABLE');
  expect(await after(1, silent, at)).toBe('AGENT_LOST');
  // Whoever resumes begins anew.
  expect(await after(1, silent, at)).toBe('AGENT_UNREACHABLE');
});

it('one that answers in between is not, however long it works', async () => {
  const at = context('b', 60);
  for (let hour = 0; hour < 48; hour += 1) {
    expect(await after(3_600, busy, at)).toBe('AGENT_COMMAND_RUNNING');
    expect(await after(30, silent, at)).toBe('AGENT_UNREACHABLE');
  }
  expect(await after(1, () => Promise.resolve({ summary: 'erased' }), at)).toBe('done');
});

it('has half an hour where the contract says nothing, and each operation its own', async () => {
  expect(await after(0, silent, context('c'))).toBe('AGENT_UNREACHABLE');
  expect(await after(1_799, silent, context('c'))).toBe('AGENT_UNREACHABLE');
  expect(await after(10, silent, context('d'))).toBe('AGENT_UNREACHABLE');
  expect(await after(1, silent, context('c'))).toBe('AGENT_LOST');
});

it('one whose machine is off is given up at the second reading in a row, and only then', async () => {
  const at = context('e', 600);
  expect(await after(0, silent, at, 'off')).toBe('AGENT_UNREACHABLE');
  expect(await after(1, silent, at, 'on')).toBe('AGENT_UNREACHABLE');
  expect(await after(1, silent, at, 'off')).toBe('AGENT_UNREACHABLE');
  expect(await after(1, silent, at, null)).toBe('AGENT_UNREACHABLE');
  expect(await after(1, silent, at, 'off')).toBe('AGENT_UNREACHABLE');
  expect(await after(1, busy, at, 'off')).toBe('AGENT_COMMAND_RUNNING');
  expect(await after(1, silent, at, 'off')).toBe('AGENT_UNREACHABLE');
  expect(await after(1, silent, at, 'off')).toBe('POWER_LOST');
});

it('a BMC that takes the question and never answers does not keep an attempt from its end', async () => {
  vi.useRealTimers();
  const asked: AbortSignal[] = [];
  const hangs = ({ signal }: StepContext): Promise<never> => {
    asked.push(signal);
    return new Promise(() => undefined);
  };
  await expect(whileAgentLives(silent, hangs, 10)(context('f', 600))).rejects.toMatchObject({
    failure: { code: 'AGENT_UNREACHABLE' },
  });
  await expect(whileAgentLives(silent, hangs, 10)(context('g', 0))).rejects.toMatchObject({
    failure: { code: 'AGENT_LOST' },
  });
  expect(asked.map(({ aborted }) => aborted)).toEqual([true, true]);
});
