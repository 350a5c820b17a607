import type { Json, Session } from './api.ts';
import * as s from './site.ts';
import type { Account, Api, Site } from './site.ts';

/** What Keystone knows after `keystone-manage bootstrap` has made the administrator: services and who may ask. */

const TYPES: { readonly [api in Api]: string } = {
  keystone: 'identity',
  glance: 'image',
  ironic: 'baremetal',
  placement: 'placement',
  neutron: 'network',
  nova: 'compute',
};

export const READER: Account = { username: 'reader', password: 'reader-password', project: 'admin' };
export const MEMBER: Account = { username: 'member', password: 'member-password', project: 'acceptance' };

export async function makeCatalogue(admin: Session, site: Site): Promise<void> {
  const make = async (kind: string, one: string, body: object): Promise<string> =>
    ((await admin.call('POST', 'keystone', `/${kind}`, { [one]: body })) as Json)[one].id;
  const { roles } = (await admin.call('GET', 'keystone', '/roles')) as Json;
  const roleOf = new Map<string, string>(roles.map(({ name, id }: Json) => [name, id]));
  const { projects } = (await admin.call('GET', 'keystone', '/projects')) as Json;
  const projectOf = new Map<string, string>(projects.map(({ name, id }: Json) => [name, id]));
  for (const name of ['service', MEMBER.project])
    projectOf.set(name, await make('projects', 'project', { name, domain_id: 'default' }));
  if (!roleOf.has('service')) roleOf.set('service', await make('roles', 'role', { name: 'service' }));
  const user = (name: string, password: string): Promise<string> =>
    make('users', 'user', { name, password, domain_id: 'default' });
  const grant = (scope: string, id: string, role: string): Promise<Json> =>
    admin.call('PUT', 'keystone', `/${scope}/users/${id}/roles/${roleOf.get(role)}`);

  const apis = (site.whole ? s.APIS : s.APIS.slice(0, 3)).filter((api) => api !== 'keystone');
  for (const api of apis) {
    const id = await user(api, s.SERVICE_PASSWORD);
    for (const role of ['admin', 'service']) await grant(`projects/${projectOf.get('service')}`, id, role);
    // Nova asks Ironic for all nodes, and Ironic's own conductor its API.
    if (api === 'ironic' || api === 'nova') await grant('system', id, 'admin');
    const service_id = await make('services', 'service', { type: TYPES[api], name: api });
    for (const kind of ['public', 'internal', 'admin'])
      await make('endpoints', 'endpoint', {
        service_id,
        interface: kind,
        region_id: s.REGION,
        url: s.endpoint(site, api),
      });
  }
  const reader = await user(READER.username, READER.password);
  await grant(`projects/${projectOf.get(READER.project)}`, reader, 'reader');
  await grant('system', reader, 'reader');
  const member = await user(MEMBER.username, MEMBER.password);
  await grant(`projects/${projectOf.get(MEMBER.project)}`, member, 'member');
}

/** The endpoints of a service, of all interfaces or one. */
export async function endpointsOf(admin: Session, api: Api, kind?: string): Promise<Json[]> {
  const { services } = (await admin.call('GET', 'keystone', `/services?type=${TYPES[api]}`)) as Json;
  const asked = `/endpoints?service_id=${services[0].id}${kind ? `&interface=${kind}` : ''}`;
  return ((await admin.call('GET', 'keystone', asked)) as Json).endpoints;
}
