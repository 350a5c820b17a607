import { describe, expect, test } from 'vitest';
import { askedBy, isOurs, markerOf } from '../../../core/ironic/marker.ts';
import {
  correction,
  creation,
  readNode,
  rootDeviceHints,
  type WantedNode,
} from '../../../core/ironic/node.ts';
import type { JsonObject } from '../../../core/json.ts';

const wanted: WantedNode = {
  name: 'gpu-01',
  driver: 'redfish',
  owner: { site: 'berlin', node: 'gpu-01' },
  driverInfo: { redfish_address: 'https://10.0.0.5', redfish_password: 'secret' },
  secretKeys: ['redfish_password'],
  interfaces: { deploy: 'direct' },
  properties: { cpu_arch: 'x86_64' },
  capabilities: { boot_mode: 'uefi' },
  resourceClass: 'hgx',
};

const body = (over: JsonObject = {}): JsonObject => ({
  ...creation(wanted),
  uuid: 'u',
  provision_state: 'manageable',
  driver_info: { redfish_address: 'https://10.0.0.5', redfish_password: '******' },
  ...over,
});

describe('what the contract says of a node', () => {
  test('is what it is created with', () => {
    expect(creation(wanted)).toEqual({
      name: 'gpu-01',
      driver: 'redfish',
      deploy_interface: 'direct',
      driver_info: wanted.driverInfo,
      properties: { cpu_arch: 'x86_64', capabilities: 'boot_mode:uefi' },
      extra: { rackwright: { site: 'berlin', node: 'gpu-01' } },
      resource_class: 'hgx',
    });
  });

  test('is written again only where it differs, and where it cannot be read back', () => {
    expect(correction(wanted, readNode(body())!)).toEqual([
      { op: 'add', path: '/driver_info/redfish_password', value: 'secret' },
    ]);
    const changed = readNode(body({ deploy_interface: 'ramdisk', resource_class: null }))!;
    expect(correction({ ...wanted, secretKeys: [], driverInfo: {} }, changed)).toEqual([
      { op: 'add', path: '/deploy_interface', value: 'direct' },
      { op: 'add', path: '/resource_class', value: 'hgx' },
    ]);
  });

  test('keeps the capabilities that inspection found', () => {
    const node = readNode(
      body({ properties: { cpu_arch: 'x86_64', capabilities: 'gpu:yes,boot_mode:bios' } }),
    )!;
    expect(correction({ ...wanted, driverInfo: {} }, node)).toEqual([
      { op: 'add', path: '/properties/capabilities', value: 'gpu:yes,boot_mode:uefi' },
    ]);
  });

  test('names the root device in the words of Ironic', () => {
    expect(rootDeviceHints({ byPath: '/dev/disk/by-path/x', minSizeGiB: 100, rotational: false })).toEqual({
      by_path: '/dev/disk/by-path/x',
      size: '>= 100',
      rotational: false,
    });
    expect(rootDeviceHints({ sizeGiB: 894, minSizeGiB: 100 })).toEqual({ size: 894 });
  });
});

test.each([null, 'x', [], {}, { uuid: 'u' }, { uuid: 1, provision_state: 'active' }])(
  '%o is no node',
  (answer) => {
    expect(readNode(answer as JsonObject)).toBeUndefined();
  },
);

describe('the marker', () => {
  const operation = { requestId: 'r', step: 'erase', target: 'clean', since: 't1' };
  const extra: JsonObject = { rackwright: { site: 'berlin', node: 'gpu-01', operation } };

  test('belongs to one step of one operation', () => {
    expect(markerOf(extra, { requestId: 'r', step: 'erase' })).toEqual(operation);
    expect(markerOf(extra, { requestId: 'r2', step: 'erase' })).toBeUndefined();
    expect(markerOf(extra, { requestId: 'r', step: 'deploy' })).toBeUndefined();
    expect(markerOf({}, { requestId: 'r', step: 'erase' })).toBeUndefined();
    expect(markerOf({ rackwright: 'x' }, { requestId: 'r', step: 'erase' })).toBeUndefined();
  });

  test('says whether the request arrived, until its failure was reported', () => {
    const marker = markerOf(extra, { requestId: 'r', step: 'erase' })!;
    expect(askedBy(marker, 't1')).toEqual({ target: 'clean', moved: false });
    expect(askedBy(marker, 't2')).toEqual({ target: 'clean', moved: true });
    expect(askedBy({ ...marker, reported: true }, 't2')).toBeUndefined();
    expect(askedBy(undefined, 't2')).toBeUndefined();
  });

  test('whose node it is', () => {
    expect(isOurs(extra, { site: 'berlin', node: 'gpu-01' })).toBe(true);
    expect(isOurs(extra, { site: 'paris', node: 'gpu-01' })).toBe(false);
    expect(isOurs({}, { site: 'berlin', node: 'gpu-01' })).toBe(false);
  });
});
