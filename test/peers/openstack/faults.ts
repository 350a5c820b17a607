import { rm } from 'node:fs/promises';
import { until, type Json } from './api.ts';
import { endpointsOf } from './catalogue.ts';
import type { OpenStackPeer } from './peer.ts';
import type { Service } from './services.ts';
import * as s from './site.ts';
import type { Api } from './site.ts';

/** Faults that are made for real, and seen by the cloud itself when these are done. Each answers what mends it. */
export type Mend = () => Promise<void>;

/** Where the cloud shows whether a service of it lives. */
const SHOWN: {
  readonly [service in Service]?: (cloud: OpenStackPeer) => (again: boolean) => Promise<boolean>;
} = {
  'ironic-conductor': (cloud) => async () => {
    const { conductors } = await cloud.system.call('GET', 'ironic', '/v1/conductors');
    return conductors[0].alive;
  },
  'l2-agent': (cloud) => async () => {
    const { agents } = await cloud.admin.call('GET', 'neutron', '/v2.0/agents');
    return agents.every(({ alive }: Json) => alive);
  },
  'nova-conductor': (cloud) => novaUp(cloud, 'nova-conductor', s.COMPUTE_HOST),
  'nova-scheduler': (cloud) => novaUp(cloud, 'nova-scheduler', s.COMPUTE_HOST),
  'nova-compute': (cloud) => novaUp(cloud, 'nova-compute', s.COMPUTE_HOST),
  'nova-compute-ironic': (cloud) => novaUp(cloud, 'nova-compute', s.IRONIC_COMPUTE_HOST),
};

async function novaService(cloud: OpenStackPeer, binary: string, host: string): Promise<Json> {
  const { services } = await cloud.admin.call('GET', 'nova', `/os-services?binary=${binary}&host=${host}`);
  return services[0];
}

/** What starts is called up at once, and does not report before all of it has come up: a second report is waited for. */
function novaUp(cloud: OpenStackPeer, binary: string, host: string) {
  let reported: string | undefined;
  return async (again: boolean): Promise<boolean> => {
    const { state, updated_at: at } = await novaService(cloud, binary, host);
    if (state !== 'up') reported = undefined;
    else reported ??= at;
    return state === 'up' && (!again || at !== reported);
  };
}

/**
 * Stops a service, and waits until the cloud calls it down; mended when the cloud calls it up.
 *
 * On sqlite, a conductor of Ironic that is killed is never missed: there it is stopped in order, and says so.
 */
export async function serviceDown(cloud: OpenStackPeer, service: Service): Promise<Mend> {
  await (service === 'ironic-conductor' ? cloud.stop(service) : cloud.kill(service));
  const down = SHOWN[service]?.(cloud);
  if (down) await until(`${service} down`, async () => !(await down(false)));
  return async () => {
    await cloud.start(service);
    const up = SHOWN[service]?.(cloud);
    if (up) await until(`${service} up`, () => up(true));
  };
}

/** A token that was given back. */
export async function revokedToken(cloud: OpenStackPeer): Promise<string> {
  const token = await cloud.session(cloud.accounts.reader).token();
  await cloud.admin.call('DELETE', 'keystone', '/auth/tokens', undefined, { 'x-subject-token': token });
  return token;
}

/** A token whose time is over. */
export async function expiredToken(cloud: OpenStackPeer): Promise<string> {
  const seconds = cloud.tokenSeconds;
  await cloud.tokensLast(1);
  const token = await cloud.session(cloud.accounts.reader).token();
  await cloud.tokensLast(seconds);
  const { admin } = cloud;
  await until('its expiry', async () => {
    const asked = { 'x-subject-token': token };
    return (await admin.try('GET', 'keystone', '/auth/tokens', undefined, asked)).status === 404;
  });
  return token;
}

/** Takes the endpoints of a service out of the catalogue, of one interface or all. */
export async function endpointRemoved(cloud: OpenStackPeer, api: Api, kind?: string): Promise<Mend> {
  const removed = await endpointsOf(cloud.admin, api, kind);
  for (const { id } of removed) await cloud.admin.call('DELETE', 'keystone', `/endpoints/${id}`);
  return async () => {
    for (const { service_id, region_id, interface: of, url } of removed) {
      const endpoint = { service_id, region_id, interface: of, url };
      await cloud.admin.call('POST', 'keystone', '/endpoints', { endpoint });
    }
  };
}

/** Glance still has the image, and its bytes are gone from the store. */
export const imageBytesLost = (cloud: OpenStackPeer, id: string): Promise<void> => rm(cloud.imageFile(id));

/** A project that may have no server. */
export async function quotaFull(cloud: OpenStackPeer, project: string): Promise<Mend> {
  const { projects } = await cloud.admin.call('GET', 'keystone', `/projects?name=${project}`);
  const path = `/os-quota-sets/${projects[0].id}`;
  await cloud.admin.call('PUT', 'nova', path, { quota_set: { instances: 0 } });
  return async () => {
    await cloud.admin.call('DELETE', 'nova', path);
  };
}

/** Nobody finds the image by its name any more. */
export async function imageRenamed({ admin }: OpenStackPeer, name: string): Promise<Mend> {
  const { images } = await admin.call('GET', 'glance', `/v2/images?name=${name}`);
  const path = `/v2/images/${images[0].id}`;
  const change = (to: string) =>
    admin.call('PATCH', 'glance', path, [{ op: 'replace', path: '/name', value: to }]);
  await change('another-name');
  return async () => void (await change(name));
}
