import { expect, it } from 'vitest';
import { Inventory } from '../../../contracts/inventory/inventory.ts';
import { vantageHost } from '../../../contracts/inventory/vantage.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3Xj1G0b4y2dXW8v6f5s1r0q9p8o7n6m5l4k3j2i1h0';
const inventory = Inventory.parse({
  site: 's',
  controllers: [
    { name: 'c1', address: '10.0.0.1', ssh: { user: 'root', key: 'env:KEY' } },
    { name: 'c2', address: '10.0.0.2', ssh: { host: 'c2.mgmt', port: 2222, user: 'ops', key: 'env:KEY' } },
    { name: 'c3', address: '10.0.0.3' },
  ],
  vantagePoints: [
    {
      name: 'jump',
      ssh: { host: '10.0.0.9', user: 'rackwright', key: 'env:KEY', hostKey: `${KEY} root@jump` },
    },
    { name: 'at-c1', controller: 'c1' },
    { name: 'at-c2', controller: 'c2' },
    { name: 'at-c3', controller: 'c3' },
    { name: 'own', worker: true },
  ],
});

it.each([
  ['jump', { host: '10.0.0.9', port: 22, user: 'rackwright', key: 'env:KEY', hostKey: KEY }],
  ['at-c1', { host: '10.0.0.1', port: 22, user: 'root', key: 'env:KEY' }],
  ['at-c2', { host: 'c2.mgmt', port: 2222, user: 'ops', key: 'env:KEY' }],
])('%s is a host with all that a login needs', (name, host) => {
  expect(vantageHost(inventory, name)).toEqual(host);
});

it.each(['at-c3', 'own', 'nowhere'])('%s is none', (name) => {
  expect(() => vantageHost(inventory, name)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'CONTRACT_INVALID' }) }),
  );
});
