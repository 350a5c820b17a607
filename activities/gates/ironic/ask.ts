import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { VANTAGE_WORKER, vantageHost } from '../../../contracts/inventory/vantage.ts';
import { fail } from '../../../core/errors/failure.ts';
import { readCurl, type HttpAnswer } from '../../../core/openstack/published.ts';
import { runOn } from '../../ssh/run.ts';
import type { CheckContext } from '../check.ts';

const ASK_SECONDS = 10;
const WHOLE_MS = 30_000;

/** Asks an address by HTTP, for its status alone, from the worker or from a vantage point. */
export async function askFrom(from: string, url: string, context: CheckContext): Promise<HttpAnswer> {
  return from === VANTAGE_WORKER ? askHere(url, context) : askThere(from, url, context);
}

async function askHere(url: string, { inventory, signal }: CheckContext): Promise<HttpAnswer> {
  const ca = inventory.openstack?.ca;
  const agent = new Agent({
    connect: { timeout: ASK_SECONDS * 1000, ...(ca === undefined ? {} : { ca: await readFile(ca, 'utf8') }) },
  });
  try {
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_SECONDS * 1000)]),
    });
    body.on('error', () => undefined).destroy();
    return { status: statusCode };
  } catch (cause) {
    signal.throwIfAborted();
    const { code, name } = cause as { code?: unknown; name?: unknown };
    if (code === 'ECONNREFUSED') return { refused: true };
    if (name === 'TimeoutError') return { silent: 'no answer in time' };
    return { silent: typeof code === 'string' ? code : String(name ?? 'no answer') };
  } finally {
    await agent.destroy();
  }
}

async function askThere(from: string, url: string, context: CheckContext): Promise<HttpAnswer> {
  const label = `vantage point ${from}`;
  const { hostKey, ...host } = vantageHost(context.inventory, from);
  const ran = await runOn(
    { ...host, hostKey, label },
    ['curl', '-sS', '-o', '/dev/null', '-w', '%{http_code}', '--max-time', String(ASK_SECONDS), '--', url],
    { secret: (reference) => context.secret(reference), signal: context.signal, wholeMs: WHOLE_MS },
  );
  const answer = readCurl(ran);
  if (!('unusable' in answer)) return answer;
  throw fail('VANTAGE_UNUSABLE', `${url} cannot be asked for from ${label}: ${answer.unusable}.`, {
    details: { from, exitCode: ran.exitCode },
  });
}
