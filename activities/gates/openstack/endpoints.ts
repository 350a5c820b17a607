import type { Json } from '../../../core/json.ts';
import { SERVICE_TYPES, type ServiceType } from '../../../core/openstack/catalog.ts';
import { readVersions } from '../../../core/openstack/versions.ts';
import { answerInvalid, nameOf } from '../../openstack/errors.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { withOpenStack, withoutOpenStack } from './session.ts';

/** Each service of the contract has an endpoint, and answers there. */
export const openstackEndpoints: CheckFunction = {
  skip: withoutOpenStack,
  run: (context) =>
    withOpenStack(context, async (cloud) => {
      const services: readonly ServiceType[] = context.inventory.openstack?.services ?? SERVICE_TYPES;
      const targets = services.map((service) => ({ name: nameOf(service), service }));
      return eachTarget(context, 'openstack', targets, async ({ name, service }) => {
        const { url } = await cloud.endpoint(service);
        const answer = await cloud.json(service, '/');
        const versions = readVersions(answer);
        if (!versions)
          throw answerInvalid({ service, method: 'GET', path: '/' }, 'it lists no version of its API');
        const evidence = await context.evidence(name, { asked: `GET / of ${url}`, answer: answer as Json });
        return { found: { right: 'it answers' }, evidence: [evidence] };
      });
    }),
};
