import { afterEach } from 'vitest';
import type { BmcEndpoint } from '../../../activities/redfish/endpoint.ts';
import { forgetMemory } from '../../../activities/redfish/memory.ts';
import { forgetRefusedCredentials } from '../../../activities/redfish/session.ts';
import { closeAllBmcs, openBmc, type Bmc } from '../../../activities/redfish/transport.ts';
import { RackwrightError, type Failure } from '../../../core/errors/failure.ts';
import { ScriptedBmc } from './scripted-bmc.ts';

const started: ScriptedBmc[] = [];

afterEach(async () => {
  await closeAllBmcs();
  forgetMemory();
  forgetRefusedCredentials();
  await Promise.all(started.splice(0).map((bmc) => bmc.stop()));
});

/** A scripted BMC that is stopped when the test ends. */
export async function scripted(tls?: { key: string; cert: string }): Promise<ScriptedBmc> {
  const bmc = await new ScriptedBmc(tls).start();
  started.push(bmc);
  return bmc;
}

/** A scripted BMC and a client of it. */
export async function opened(over: Partial<BmcEndpoint> = {}): Promise<{ server: ScriptedBmc; bmc: Bmc }> {
  const server = await scripted();
  return { server, bmc: openBmc(server.endpoint(over)) };
}

/** The failure that the work ends with; fails if it ends well, or with another kind of error. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<Failure & { retryAfterMs?: number | undefined }> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RackwrightError)) throw error;
    return { ...error.failure, retryAfterMs: error.retryAfterMs };
  }
  throw new Error('it ended well, and should have failed');
}
