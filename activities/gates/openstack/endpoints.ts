import { VANTAGE_WORKER } from '../../../contracts/inventory/vantage.ts';
import { fail, RackwrightError } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import { SERVICE_TYPES, type ServiceType } from '../../../core/openstack/catalog.ts';
import { judgeProbe, judgeUnanswered, type Probe } from '../../../core/openstack/probe.ts';
import { judgeVersions, readVersions } from '../../../core/openstack/versions.ts';
import type { EvidenceRef } from '../../../core/operations.ts';
import type { OpenStack } from '../../openstack/client.ts';
import { answerInvalid, nameOf } from '../../openstack/errors.ts';
import { eachTarget, type CheckContext, type CheckFunction, type Look, type Wrong } from '../check.ts';
import { looked } from '../looked.ts';
import { probesFrom } from './operator.ts';
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
      const { operator = VANTAGE_WORKER } = context.inventory.acceptance ?? {};
      const probes = looked(() => probesFrom(context, operator, urls));
      return eachTarget(context, 'openstack', targets, async ({ name, service }) => {
        const { found, evidence } = await answering(context, cloud, name, service);
        if ('wrong' in found || operator === VANTAGE_WORKER) return { found, evidence };
        const { url } = await cloud.endpoint(service);
        const probe = (await probes()).find((each) => each.url === url)!;
        const seen = await context.evidence(`${name}-operator`, {
          asked: `curl ${url}, from vantage point ${operator}`,
          answer: { ...probe },
        });
        return { found: reached(probe, operator), evidence: [...evidence, seen] };
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
  const judged = judgeUnanswered(failure.details, String(failure.details?.['endpoint'] ?? ''));
  return judged && 'wrong' in judged ? { message: judged.wrong, correction: judged.correction } : undefined;
}

function reached(probe: Probe, operator: string): Look {
  const judged = judgeProbe(probe, `vantage point ${operator}`);
  if ('untold' in judged) throw fail('OPENSTACK_UNREACHABLE', judged.untold);
  return 'right' in judged
    ? { right: `it answers, from vantage point ${operator} too` }
    : { wrong: [{ message: judged.wrong, correction: judged.correction }] };
}
