import { describe, expect, it } from 'vitest';
import { judgeVersions, readVersions } from '../../../core/openstack/versions.ts';

describe('the versions that a service lists', () => {
  it.each([
    ['Keystone', { versions: { values: [{ id: 'v3.14', status: 'stable' }] } }, ['v3.14']],
    ['Nova', { versions: [{ id: 'v2.0' }, { id: 'v2.1', version: '2.100' }] }, ['v2.0', 'v2.1']],
    ['Neutron', { versions: [{ id: 'v2.0', status: 'CURRENT' }] }, ['v2.0']],
    ['Placement', { versions: [{ id: 'v1.0', max_version: '1.39' }] }, ['v1.0']],
    ['Ironic', { name: 'OpenStack Ironic API', versions: [{ id: 'v1', version: '1.104' }] }, ['v1']],
  ])('%s', (_name, body, versions) => {
    expect(readVersions(body)).toEqual(versions);
  });
  it.each([
    undefined,
    null,
    'hello',
    {},
    { versions: [] },
    { versions: {} },
    { versions: [{}] },
    { versions: 7 },
  ])('are none in %j', (body) => {
    expect(readVersions(body)).toBeUndefined();
  });
});

describe('what answers at an endpoint', () => {
  it.each([
    ['identity', ['v3.14'], true],
    ['compute', ['v2.0', 'v2.1'], true],
    ['network', ['v2.0'], true],
    ['image', ['v2.17', 'v2.16'], true],
    ['placement', ['v1.0'], true],
    ['baremetal', ['v1'], true],
    ['identity', ['v2.0'], false],
    ['compute', ['v2.0'], false],
    ['image', ['v1'], false],
  ] as const)('as %s with %j is it: %s', (service, versions, is) => {
    expect(judgeVersions(service, versions, 'https://x') === undefined).toBe(is);
  });
});
