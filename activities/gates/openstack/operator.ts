import { readFile } from 'node:fs/promises';
import { fail } from '../../../core/errors/failure.ts';
import { probeWords, readProbes, type Probe } from '../../../core/openstack/probe.ts';
import { runAt } from '../../vantage/runners.ts';
import type { CheckContext } from '../check.ts';

const PROBE_SECONDS = 8;

/** Asks for each URL from a vantage point, one after the other, in one login. */
export async function probesFrom(
  context: CheckContext,
  vantage: string,
  urls: readonly string[],
): Promise<readonly Probe[]> {
  const { ca } = context.inventory.openstack ?? {};
  const pem = ca === undefined ? undefined : await readFile(ca, 'utf8');
  const ran = await runAt(context, vantage, probeWords(urls, PROBE_SECONDS, pem), {
    ...(pem === undefined ? {} : { input: pem }),
    wholeMs: 10_000 + urls.length * PROBE_SECONDS * 1000,
  });
  const probes = readProbes(ran, urls);
  if (typeof probes !== 'string') return probes;
  throw fail('VANTAGE_UNUSABLE', `No endpoint can be tried from vantage point ${vantage}: ${probes}.`, {
    correction: `Install curl there, or name another vantage point in \`acceptance.operator\`.`,
  });
}
