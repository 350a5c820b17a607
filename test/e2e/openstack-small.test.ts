import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, issueToken, type Json } from '../peers/openstack/api.ts';
import { IMAGE_BYTES, NODES, uploadImage } from '../peers/openstack/content.ts';
import {
  endpointRemoved,
  expiredToken,
  imageBytesLost,
  revokedToken,
  serviceDown,
} from '../peers/openstack/faults.ts';
import { OpenStackPeer } from '../peers/openstack/peer.ts';
import { emptyCloud } from './openstack/empty.ts';
import { gate3Small } from './openstack/gate-3.ts';
import { gate4Small } from './openstack/gate-4.ts';

/** Keystone, Glance and Ironic of OpenStack 2026.1, as they come from PyPI. */

let cloud: OpenStackPeer;

describe('a real Keystone, Glance and Ironic', () => {
  beforeAll(async () => {
    cloud = await OpenStackPeer.start({ services: 'small' });
    console.log(cloud.laps.map(([part, seconds]) => `${part} ${seconds.toFixed(1)} s`).join(', '));
  });
  afterAll(() => cloud?.close());

  it('gives a token with a catalogue that names where each service is', async () => {
    const { status, body } = await issueToken(cloud.authUrl, cloud.accounts.reader);
    expect(status).toBe(201);
    const urls = body.token.catalog.map(({ type, endpoints }: Json) => [
      type,
      endpoints.find((each: Json) => each.interface === 'public').url,
    ]);
    expect(Object.fromEntries(urls)).toEqual({
      identity: cloud.endpoint('keystone'),
      image: cloud.endpoint('glance'),
      baremetal: cloud.endpoint('ironic'),
    });
    expect(body.token.roles.map(({ name }: Json) => name)).toEqual(['reader']);
  });

  it('stores an image and gives it back byte for byte', async () => {
    const id = await uploadImage(cloud.admin, 'there-and-back', IMAGE_BYTES);
    const image = await cloud.admin.call('GET', 'glance', `/v2/images/${id}`);
    expect(image).toMatchObject({
      status: 'active',
      size: IMAGE_BYTES.length,
      os_hash_algo: 'sha512',
      os_hash_value: createHash('sha512').update(IMAGE_BYTES).digest('hex'),
    });
    const bytes = await cloud.admin.call('GET', 'glance', `/v2/images/${id}/file`);
    expect(IMAGE_BYTES.equals(bytes)).toBe(true);
    await cloud.admin.call('DELETE', 'glance', `/v2/images/${id}`);
    expect((await cloud.admin.try('GET', 'glance', `/v2/images/${id}`)).status).toBe(404);
  });

  it('has nodes that are available, and a conductor that lives', async () => {
    const { nodes } = await cloud.system.call('GET', 'ironic', '/v1/nodes');
    expect(nodes.map(({ name, provision_state: state }: Json) => [name, state])).toEqual(
      NODES.map((name) => [name, 'available']),
    );
    const { conductors } = await cloud.system.call('GET', 'ironic', '/v1/conductors');
    expect(conductors).toMatchObject([{ alive: true }]);
  });

  it('lets nobody in without a token', async () => {
    for (const url of [`${cloud.endpoint('glance')}/v2/images`, `${cloud.endpoint('ironic')}/v1/nodes`])
      expect((await ask('GET', url)).status).toBe(401);
  });

  it.each([
    ['given back', revokedToken],
    ['expired', expiredToken],
  ])('lets nobody in with a token that was %s', async (_what, make) => {
    const token = await make(cloud);
    for (const url of [`${cloud.endpoint('glance')}/v2/images`, `${cloud.endpoint('ironic')}/v1/nodes`])
      expect((await ask('GET', url, { token })).status).toBe(401);
  });

  it('is seen without its conductor, and with it again', async () => {
    const mend = await serviceDown(cloud, 'ironic-conductor');
    const { drivers } = await cloud.system.call('GET', 'ironic', '/v1/drivers');
    expect(drivers).toEqual([]);
    await mend();
  });

  it('is seen without an endpoint, and with it again', async () => {
    const types = async (): Promise<string[]> => {
      const { body } = await issueToken(cloud.authUrl, cloud.accounts.reader);
      return body.token.catalog
        .filter(({ endpoints }: Json) => endpoints.length > 0)
        .map(({ type }: Json) => type);
    };
    const mend = await endpointRemoved(cloud, 'ironic');
    expect(await types()).not.toContain('baremetal');
    await mend();
    expect(await types()).toContain('baremetal');
  });

  it('calls an image active whose bytes are gone, and has none to give', async () => {
    const id = await uploadImage(cloud.admin, 'lost', Buffer.from('bytes that will be lost'));
    await imageBytesLost(cloud, id);
    expect((await cloud.admin.call('GET', 'glance', `/v2/images/${id}`)).status).toBe('active');
    expect((await cloud.admin.try('GET', 'glance', `/v2/images/${id}/file`)).status).toBe(204);
    await cloud.admin.call('DELETE', 'glance', `/v2/images/${id}`);
  });

  gate3Small(() => cloud);
  gate4Small(() => cloud);
  emptyCloud(() => cloud);
});
