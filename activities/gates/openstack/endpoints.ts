import { operatorsOf, VANTAGE_WORKER } from '../../../contracts/inventory/vantage.ts';
import { RackwrightError } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import { SERVICE_TYPES, type ServiceType } from '../../../core/openstack/catalog.ts';
import { judgeUnanswered } from '../../../core/openstack/unanswered.ts';
import { judgeVersions, readVersions } from '../../../core/openstack/versions.ts';
import { judgeReach, type Reached } from '../../../core/reachability/judge.ts';
import type { Probed } from '../../../core/reachability/probe.ts';
import type { EvidenceRef } from '../../../core/operations.ts';
import { cloudCa } from '../../openstack/ca.ts';
import type { OpenStack } from '../../openstack/client.ts';
import { answerInvalid, nameOf } from '../../openstack/errors.ts';
import { eachTarget, type CheckContext, type CheckFunction, type Look, type Wrong } from '../check.ts';
import { placesAt } from '../../vantage/places.ts';
import { looked } from '../looked.ts';
import { throwUntold } from '../reachability/tries.ts';
import { withOpenStack, withoutOpenStack } from './session.ts';

/** What the catalogue, or the certificate of an endpoint, shows for certain. */
const CERTAIN: readonly string[] = ['OPENSTACK_ENDPOINT_MISSING', 'OPENSTACK_TLS_UNTRUSTED'];

/** Each service of the contract has an endpoint, and answers there, as operators ask it. */
export const openstackEndpoints: CheckFunction = {
  skip: withoutOpenStack,
  run: (context) =>
    withOpenStack(context, async (cloud) => {
      // Without a token there is no catalogue: that is told once, and not of each service.
      const signedIn = await eachTarget(context, 'openstack', [{ name: 'Keystone' }], async () => {
        try {
          await cloud.tokens.of('identity');
          return { found: { right: 'it gives a token' } };
        } catch (error) {
          const wrong = error instanceof RackwrightError ? certainly(error) : undefined;
          if (wrong === undefined) throw error;
          return { found: { wrong: [wrong] } };
        }
      });
      if (signedIn.outcome !== 'pass') return signedIn;
      const services: readonly ServiceType[] = context.inventory.openstack?.services ?? SERVICE_TYPES;
      const targets = services.map((service) => ({ name: nameOf(service), service }));
      const urls = await urlsOf(cloud, services);
      const { asks: operator = VANTAGE_WORKER } = operatorsOf(context.inventory);
      const tried = looked(() => triedFrom(context, operator, urls));
      // What could not be told is asked for anew, by itself.
      const asked = new Set<string>();
      return eachTarget(context, 'openstack', targets, async ({ name, service }) => {
        const { found, evidence } = await answering(context, cloud, name, service);
        if ('wrong' in found || operator === VANTAGE_WORKER) return { found, evidence };
        const { url } = await cloud.endpoint(service);
        const { label, went: all } = asked.has(url)
          ? await triedFrom(context, operator, [url])
          : await tried();
        const went = all.get(url)!;
        asked.add(url);
        const { outcome, status = null } = went;
        const seen = await context.evidence(`${name}-operator`, {
          asked: `GET ${url}, from ${label}`,
          answer: { outcome, status },
        });
        return { found: reached(name, went, label), evidence: [...evidence, seen] };
      });
    }),
};

/** The endpoints that the catalogue has. */
async function urlsOf(cloud: OpenStack, services: readonly ServiceType[]): Promise<string[]> {
  const urls: string[] = [];
  for (const service of services) {
    try {
      urls.push((await cloud.endpoint(service)).url);
    } catch (error) {
      if (!(error instanceof RackwrightError) || !CERTAIN.includes(error.failure.code)) throw error;
    }
  }
  return [...new Set(urls)];
}

interface Answered {
  readonly found: Look;
  readonly evidence: readonly EvidenceRef[];
}

/** Asks an endpoint from here. */
async function answering(
  context: CheckContext,
  cloud: OpenStack,
  name: string,
  service: ServiceType,
): Promise<Answered> {
  try {
    const { url } = await cloud.endpoint(service);
    const answer = await cloud.json(service, '/');
    const versions = readVersions(answer);
    if (!versions)
      throw answerInvalid({ service, method: 'GET', path: '/' }, 'it lists no version of its API');
    const evidence = await context.evidence(name, { asked: `GET / of ${url}`, answer: answer as Json });
    const other = judgeVersions(service, versions, url);
    return { found: other ? { wrong: [other] } : { right: 'it answers' }, evidence: [evidence] };
  } catch (error) {
    const wrong = error instanceof RackwrightError ? certainly(error) : undefined;
    if (wrong === undefined) throw error;
    return { found: { wrong: [wrong] }, evidence: [] };
  }
}

function certainly({ failure }: RackwrightError): Wrong | RackwrightError['failure'] | undefined {
  if (CERTAIN.includes(failure.code)) return failure;
  return judgeUnanswered(failure.details, String(failure.details?.['endpoint'] ?? ''));
}

/** Asks for all of them at once from where operators are. */
async function triedFrom(
  context: CheckContext,
  operator: string,
  urls: readonly string[],
): Promise<{ readonly label: string; readonly went: ReadonlyMap<string, Probed> }> {
  const [place] = await placesAt(operator, context);
  const probes = urls.map((url) => ({ url }));
  const probed = await place.probe(probes, await cloudCa(context.inventory));
  return { label: place.label, went: new Map(probed.map((each, at) => [urls[at]!, each])) };
}

/** Throws what keeps it from being told. */
function reached(name: string, went: Probed, label: string): Look {
  const what = `the endpoint of ${name}`;
  const wanted: Reached = { probe: went.probe, what, owner: 'openstack', way: 'user-access' };
  const { wrong, ...untold } = judgeReach(label, [wanted], [went]);
  if (wrong.length > 0) return { wrong };
  throwUntold(untold, [label], 'openstack');
  return { right: `it answers, from ${label} too` };
}
