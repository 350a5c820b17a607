import { describe, expect, it } from 'vitest';
import {
  candidatesQuery,
  customClass,
  judgeOthers,
  judgeFlavor,
  judgeQuota,
  type Flavor,
} from '../../../core/openstack/flavors.ts';

const RIGHT = {
  'resources:CUSTOM_BM_GPU': '1',
  'resources:VCPU': '0',
  'resources:MEMORY_MB': '0',
  'resources:DISK_GB': '0',
};
const flavor = (specs: { readonly [key: string]: string } = RIGHT): Flavor => ({
  id: 'f1',
  name: 'bm.gpu',
  vcpus: 8,
  ram: 1024,
  specs,
});
const { 'resources:DISK_GB': _, ...WITH_DISK } = RIGHT;

it.each([
  ['lab-gpu-8', 'CUSTOM_LAB_GPU_8'],
  ['BM.SMALL', 'CUSTOM_BM_SMALL'],
  ['a b', 'CUSTOM_A_B'],
])('class %s is %s', (given, wanted) => expect(customClass(given)).toBe(wanted));

describe('what a flavor asks for', () => {
  it.each<[specs: { readonly [key: string]: string }, message: RegExp | undefined]>([
    [RIGHT, undefined],
    [{ ...RIGHT, 'trait:CUSTOM_X': 'required' }, undefined],
    [{}, /asks for no resource class/],
    [WITH_DISK, /takes no DISK_GB/],
    [{ ...RIGHT, 'resources:CUSTOM_BM_GPU': '2' }, /CUSTOM_BM_GPU=2; .*=1/],
    [{ ...RIGHT, 'resources:CUSTOM_OTHER': '1' }, /CUSTOM_BM_GPU=1, resources:CUSTOM_OTHER=1/],
  ])('%j: %s', (specs, message) => {
    const found = judgeFlavor(flavor(specs), 'bm-gpu');
    if (message === undefined) expect(found).toEqual([]);
    else expect(found[0]!.message).toMatch(message);
  });
  it('is asked of Placement as it is', () => {
    const specs = { ...RIGHT, 'trait:CUSTOM_X': 'required', 'trait:CUSTOM_Y': 'forbidden' };
    expect(candidatesQuery(flavor(specs))).toBe(
      '/allocation_candidates?resources=CUSTOM_BM_GPU%3A1&required=CUSTOM_X%2C%21CUSTOM_Y',
    );
  });
});

it.each<[candidates: string[], message: RegExp | undefined]>([
  [['u1'], undefined],
  [['u2', 'u1'], /fits 1 more: u2/],
])('candidates %j: %s', (candidates, message) => {
  const found = judgeOthers(flavor(), { uuid: 'u1', name: 'gpu-07' }, candidates);
  if (message === undefined) expect(found).toEqual([]);
  else expect(found[0]!.message).toMatch(message);
});

it.each<[absolute: object, messages: RegExp[]]>([
  [{ maxTotalInstances: 10, totalInstancesUsed: 9 }, []],
  [{ maxTotalInstances: -1, totalInstancesUsed: 900 }, []],
  [{}, []],
  [{ maxTotalInstances: 10, totalInstancesUsed: 10 }, [/10 of 10 instances/]],
  [
    { maxTotalCores: 20, totalCoresUsed: 13, maxTotalRAMSize: 1000, totalRAMUsed: 0 },
    [/13 of 20 cores/, /0 of 1000 MiB/],
  ],
])('limits %j', (absolute, messages) => {
  const found = judgeQuota({ limits: { absolute } }, flavor(), 'acceptance');
  expect(found.length).toBe(messages.length);
  messages.forEach((each, i) => expect(found[i]!.message).toMatch(each));
});
