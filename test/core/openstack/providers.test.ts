import { expect, it } from 'vitest';
import {
  judgeInventory,
  judgeProvider,
  readInventories,
  readProviders,
} from '../../../core/openstack/providers.ts';

const NODE = { id: 'u1', name: 'k1', type: 'QEMU', host: 'h1' };

it('knows a provider by the id of the hypervisor', () => {
  expect(judgeProvider(NODE, readProviders([{ uuid: 'u1', name: 'k1' }]))).toBeUndefined();
  expect(judgeProvider(NODE, readProviders([{ uuid: 'u2', name: 'k2' }]))?.message).toBe(
    'Placement has no provider for k1 (nova-compute on h1): no server is put there.',
  );
  expect(judgeProvider(NODE, readProviders([{ uuid: 'u2', name: 'k1' }]))).toMatchObject({
    message: expect.stringContaining('under another id, u2'),
    correction: expect.stringContaining('openstack resource provider delete u2'),
  });
});

it('wants something of a provider', () => {
  expect(readInventories({ inventories: { VCPU: {} } })).toEqual(['VCPU']);
  expect(readInventories({})).toBeUndefined();
  expect(judgeInventory(NODE, ['VCPU'])).toBeUndefined();
  expect(judgeInventory(NODE, [])?.message).toMatch(/has no inventory/);
});
