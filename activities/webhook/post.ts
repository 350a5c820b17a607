import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { fail, RackwrightError } from '../../core/errors/failure.ts';

const CONNECT_MS = 5000;
const ANSWER_MS = 15_000;
/** How much of an answer is read before the connection is given up: nothing in it is wanted. */
const MOST_BYTES = 64 * 1024;
/** Of the statuses below 500, those that may be gone by themselves. */
const LATER: readonly number[] = [408, 425, 429];

/** A request to a webhook. */
export interface Post {
  readonly url: string;
  /** The same for every attempt of one message. */
  readonly id: string;
  readonly body: string;
  readonly secret?: string;
}

/**
 * Sends one message once: bounded in time, no redirect followed. Headers and signature are those of Standard
 * Webhooks (webhook-id, webhook-timestamp, webhook-signature). Throws WEBHOOK_FAILED.
 */
export async function post({ url, id, body, secret }: Post): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const agent = new Agent({ connect: { timeout: CONNECT_MS } });
  try {
    const { statusCode, body: answer } = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'rackwright',
        'idempotency-key': id,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        ...(secret === undefined ? {} : { 'webhook-signature': signature(secret, id, timestamp, body) }),
      },
      body,
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await answer.dump({ limit: MOST_BYTES }).catch(() => undefined);
    if (statusCode >= 200 && statusCode < 300) return;
    throw refused(url, statusCode);
  } catch (cause) {
    if (cause instanceof RackwrightError) throw cause;
    const { code, name } = cause as { code?: unknown; name?: unknown };
    throw fail(
      'WEBHOOK_FAILED',
      `The webhook at ${new URL(url).origin} did not answer: ${String(code ?? name)}.`,
      {},
      { cause },
    );
  } finally {
    await agent.destroy();
  }
}

function refused(url: string, status: number): RackwrightError {
  const { origin } = new URL(url);
  const redirect = status >= 300 && status < 400;
  return fail(
    'WEBHOOK_FAILED',
    redirect
      ? `The webhook at ${origin} answered ${status}: redirects are not followed.`
      : `The webhook at ${origin} answered ${status}.`,
    { retryable: status >= 500 || LATER.includes(status) },
  );
}

/** `v1,` and the HMAC-SHA256 of id, time and body in base64. A secret that begins with `whsec_` is base64 itself. */
export function signature(secret: string, id: string, timestamp: string, body: string): string {
  const key = secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret);
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
