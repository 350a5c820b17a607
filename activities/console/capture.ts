import { RackwrightError } from '../../core/errors/failure.ts';
import { lastWords } from '../../core/console.ts';
import type { Captured, EvidenceRef } from '../../core/operations.ts';
import type { StepContext } from '../drivers/driver.ts';
import { consoleTail, shownConsole } from './console.ts';

/**
 * The end of the node's console at a failure: as evidence, and its last words. Undefined where the contract
 * names no console. Never throws for one that cannot be read: that is said, and hides nothing else.
 */
export async function captureConsole(
  context: StepContext,
): Promise<{ evidence: EvidenceRef[]; console: NonNullable<Captured['console']> } | undefined> {
  const { node, input, site, signal, secret } = context;
  const { console } = node;
  if (console === undefined) return undefined;
  const asked = { asked: 'the last lines of the console', of: shownConsole(console) };
  try {
    await knowUserData(context);
    const { ref, window } = input;
    const { tokens, secrets } = site;
    const { lines, writtenAt } = await consoleTail(console, { ref, window, tokens, secrets, signal, secret });
    const evidence = await context.evidence('console', {
      ...asked,
      answer: { lines: [...lines], writtenAt },
    });
    return { evidence: [evidence], console: { last: lastWords(lines) } };
  } catch (error) {
    if (!(error instanceof RackwrightError)) throw error;
    const { message } = error.failure;
    const evidence = await context.evidence('console', { ...asked, answer: { unread: message } });
    return { evidence: [evidence], console: { unread: message } };
  }
}

/** A guest may print its user data: a worker that has not read it yet would not know what to mask. */
async function knowUserData({ input, secret }: StepContext): Promise<void> {
  const { userData } = input.args;
  if (typeof userData === 'string') await secret(userData);
}
