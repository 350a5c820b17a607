import { describe, expect, it } from 'vitest';
import { endpointOf, readToken, rootOf, type Endpoint } from '../../../core/openstack/catalog.ts';

describe('where a service begins', () => {
  it.each([
    ['https://cloud:5000/v3', 'https://cloud:5000'],
    ['https://cloud:5000/v3/', 'https://cloud:5000'],
    ['https://cloud:5000', 'https://cloud:5000'],
    ['https://cloud/identity/v3', 'https://cloud/identity'],
    ['https://cloud:8774/v2.1', 'https://cloud:8774'],
    ['https://cloud:8774/v2.1/5f3d0a6cbbd94a6fb29c22f0c6c3c7a1', 'https://cloud:8774'],
    ['https://cloud:8774/v2/5f3d0a6c-bbd9-4a6f-b29c-22f0c6c3c7a1/', 'https://cloud:8774'],
    ['https://cloud:9696', 'https://cloud:9696'],
    ['https://cloud/networking/v2.0', 'https://cloud/networking'],
    ['https://cloud/v3/keystone', 'https://cloud/v3/keystone'],
    ['https://v2.cloud', 'https://v2.cloud'],
  ])('%s: %s', (url, root) => {
    expect(rootOf(url)).toBe(root);
  });
});

describe('what Keystone gives with a token', () => {
  const endpoint = { interface: 'public', region_id: 'R1', region: 'R1', url: 'https://cloud/compute' };
  const body = {
    token: {
      expires_at: '2026-03-01T13:00:00.000000Z',
      roles: [{ id: 'r', name: 'reader' }],
      catalog: [{ type: 'compute', name: 'nova', id: 'x', endpoints: [{ id: 'y', ...endpoint }] }],
    },
  };

  it('is when it ends, and the endpoints one by one', () => {
    expect(readToken(body)).toEqual({
      expiresAt: '2026-03-01T13:00:00.000000Z',
      roles: ['reader'],
      catalog: [
        { type: 'compute', name: 'nova', interface: 'public', region: 'R1', url: 'https://cloud/compute' },
      ],
    });
  });

  it('may have no catalogue', () => {
    expect(readToken({ token: { expires_at: '2026-03-01T13:00:00Z' } })?.catalog).toEqual([]);
  });

  it.each([undefined, null, 7, [], {}, { token: null }, { token: {} }, { token: { expires_at: 7 } }])(
    'is none in %j',
    (given) => {
      expect(readToken(given)).toBeUndefined();
    },
  );
});

describe('the endpoint of a service', () => {
  const at = (
    type: string,
    wanted: string,
    region: string,
    url = `https://${type}.${wanted}.${region}`,
  ): Endpoint => ({
    type,
    name: type,
    interface: wanted,
    region,
    url,
  });
  const catalog = [
    at('compute', 'internal', 'R1'),
    at('compute', 'public', 'R1'),
    at('compute', 'public', 'R2'),
    at('bare-metal', 'public', 'R1'),
    at('image', 'public', 'R1', 'glance'),
  ];

  it('is that of the interface and the region', () => {
    expect(endpointOf(catalog, 'compute', { interface: 'internal' })?.url).toBe(
      'https://compute.internal.R1',
    );
    expect(endpointOf(catalog, 'compute', { interface: 'public', region: 'R2' })?.url).toBe(
      'https://compute.public.R2',
    );
    expect(endpointOf(catalog, 'compute', { interface: 'public' })?.region).toBe('R1');
  });
  it('is found by the other name that the field has for it', () => {
    expect(endpointOf(catalog, 'baremetal', { interface: 'public' })?.region).toBe('R1');
  });
  it('is none where the catalogue has none, or no address in it', () => {
    expect(endpointOf(catalog, 'compute', { interface: 'admin' })).toBeUndefined();
    expect(endpointOf(catalog, 'compute', { interface: 'public', region: 'R3' })).toBeUndefined();
    expect(endpointOf(catalog, 'network', { interface: 'public' })).toBeUndefined();
    expect(endpointOf(catalog, 'image', { interface: 'public' })).toBeUndefined();
  });
});
