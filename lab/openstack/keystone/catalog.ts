import { REGION, type Cloud } from '../cloud.ts';
import { idOf, type Wire } from '../state.ts';

const SERVICES = [
  ['identity', 'keystone', '/identity'],
  ['compute', 'nova', '/compute/v2.1'],
  ['network', 'neutron', '/networking'],
  ['image', 'glance', '/image'],
  ['placement', 'placement', '/placement'],
  ['baremetal', 'ironic', '/baremetal'],
] as const;
const INTERFACES = ['public', 'internal', 'admin'] as const;
/** A port that nothing listens on. */
const NOWHERE = 'https://127.0.0.1:1';

/** Every service, with its endpoints, as faults leave them. */
export function services(cloud: Cloud): { service: Wire; endpoints: Wire[] }[] {
  const { keystone } = cloud.faults;
  const missing = keystone.on('endpointMissing');
  const wrong = [
    ...(keystone.on('endpointWrong') ? ['image'] : []),
    ...(keystone.on('ironicEndpointWrong') ? ['baremetal'] : []),
  ];
  return SERVICES.map(([type, name, path]) => ({
    service: {
      id: idOf(`service/${type}`),
      type,
      name,
      description: '',
      enabled: true,
      links: { self: `${cloud.url()}/identity/v3/services/${idOf(`service/${type}`)}` },
    },
    endpoints:
      missing && type === 'compute'
        ? []
        : INTERFACES.map((each) => ({
            id: idOf(`endpoint/${type}/${each}`),
            interface: each,
            service_id: idOf(`service/${type}`),
            region: REGION,
            region_id: REGION,
            url: `${wrong.includes(type) ? NOWHERE : cloud.url()}${path}`,
            enabled: true,
            links: { self: `${cloud.url()}/identity/v3/endpoints/${idOf(`endpoint/${type}/${each}`)}` },
          })),
  }));
}

/** The catalogue as a token carries it. */
export const catalog = (cloud: Cloud): Wire[] =>
  services(cloud)
    .filter(({ endpoints }) => endpoints.length > 0)
    .map(({ service, endpoints }) => ({
      endpoints: endpoints.map((endpoint) => ({
        id: endpoint['id'],
        interface: endpoint['interface'],
        region_id: REGION,
        url: endpoint['url'],
        region: REGION,
      })),
      id: service['id'],
      type: service['type'],
      name: service['name'],
    }));
