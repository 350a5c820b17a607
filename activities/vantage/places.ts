import { VANTAGE_WORKER } from '../../contracts/inventory/vantage.ts';
import { knockWords, readKnocks } from '../../core/agent/knocks.ts';
import { fail } from '../../core/errors/failure.ts';
import { curlCommand, readCurl } from '../../core/reachability/curl.ts';
import type { Probe, ProbeCommand, Probed, Probing } from '../../core/reachability/probe.ts';
import { pythonCommand, readPython } from '../../core/reachability/python.ts';
import type { Opening } from '../kubernetes/open.ts';
import { probeFromHere } from './here.ts';
import { runnersAt, type Runner } from './runners.ts';

/** Seconds of one connection; and of a command that tries many at once, with the way there and back. */
const CONNECT_SECONDS = 5;
export const PROBE_SECONDS = 45;

/** A place that connections are opened from. */
export interface Place {
  readonly label: string;
  /**
   * Tries all of them at once, in order.
   *
   * @param ca a PEM that certificates may be of, beside those that the place trusts by itself
   */
  probe(probes: readonly Probe[], ca?: string): Promise<readonly Probed[]>;
}

/** The places that a name stands for: the worker, a host, or each ready pod. Never none. Throws where it cannot be used. */
export async function placesAt(from: string, opening: Opening): Promise<readonly [Place, ...Place[]]> {
  if (from === VANTAGE_WORKER) {
    const { signal } = opening;
    return [
      { label: 'the worker', probe: (probes, ca) => probeFromHere(probes, CONNECT_SECONDS, ca, signal) },
    ];
  }
  const [first, ...others] = await runnersAt(from, opening, true);
  return [placeOf(first), ...others.map(placeOf)];
}

const placeOf = (runner: Runner): Place => ({
  label: runner.label,
  probe: (probes, ca) => probeBy(runner, probes, ca),
});

/** With Python, where there is some; else ports with bash, and URLs with curl. */
async function probeBy(runner: Runner, probes: readonly Probe[], ca?: string): Promise<readonly Probed[]> {
  if (probes.length === 0) return [];
  const run = ({ words, input }: ProbeCommand) => runner.run(words, PROBE_SECONDS * 1000, input);
  const byPython = readPython(await run(pythonCommand(probes, CONNECT_SECONDS, ca)), probes);
  if (byPython !== undefined) return usable(runner, byPython);
  const urls = probes.filter((each) => 'url' in each);
  const ports = probes.filter((each) => 'host' in each);
  const asked =
    urls.length === 0
      ? []
      : usable(runner, readCurl(await run(curlCommand(urls, CONNECT_SECONDS, ca)), urls));
  const knocked = ports.length === 0 ? [] : await knock(runner, ports);
  const found = new Map([...asked, ...knocked].map((each) => [each.probe, each]));
  return probes.map((probe) => found.get(probe)!);
}

async function knock(
  runner: Runner,
  ports: readonly Extract<Probe, { host: string }>[],
): Promise<readonly Probed[]> {
  const endpoints = ports.map(({ host, port }) => ({ address: host, port }));
  const ran = await runner.run(knockWords(endpoints, CONNECT_SECONDS), PROBE_SECONDS * 1000);
  const read = readKnocks(ran, endpoints);
  if ('unusable' in read) return usable(runner, { unusable: `it has no python3, and ${read.unusable}` });
  // Bash says of a name that nobody answers for what it says of one without an address.
  return ports.map((probe, index) => {
    const { outcome } = read.knocks[index]!;
    return { probe, outcome: outcome === 'ENOTFOUND' ? 'EAI_AGAIN' : outcome };
  });
}

function usable({ label }: Runner, probing: Probing): readonly Probed[] {
  if ('probed' in probing) return probing.probed;
  throw fail('VANTAGE_UNUSABLE', `No connection can be tried from ${label}: ${probing.unusable}.`, {
    correction: `Install python3, or bash and curl, where ${label} is; or name another place in the contract.`,
  });
}
