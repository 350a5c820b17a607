import { describe, expect, test } from 'vitest';
import { effectiveNode, imageOf } from '../../../contracts/inventory/effective.ts';
import { Inventory } from '../../../contracts/inventory/inventory.ts';

const inventory = Inventory.parse({
  site: 's',
  bmc: {
    credentials: { username: 'site-user', password: 'env:SITE' },
    tls: { ca: 'ca.pem' },
    timeouts: { request: '45s' },
    accounts: ['rack', 'monitor'],
  },
  images: [{ name: 'ubuntu', url: 'https://i/u', checksum: `sha256:${'AB'.repeat(32)}`, format: 'raw' }],
  machineTypes: [{ name: 'gpu', resourceClass: 'bm.gpu' }, { name: 'cpu' }],
  nodes: [
    { name: 'plain', type: 'gpu', bmc: { address: 'https://a' } },
    {
      name: 'own',
      type: 'gpu',
      resourceClass: 'bm.special',
      bootMode: 'bios',
      architecture: 'aarch64',
      bmc: {
        address: 'https://b/',
        system: '/redfish/v1/Systems/7/',
        credentials: { password: 'env:OWN' },
        tls: 'insecure',
        auth: 'basic',
        timeouts: { connect: 3, shutdown: '1m' },
        accounts: [],
        hostInterface: 'disabled',
        watch: 'off',
      },
    },
    { name: 'fake', type: 'cpu', driver: 'ironic', ironic: { driver: 'fake-hardware' } },
    { name: 'lost', type: 'none' },
  ],
});

describe('effectiveNode', () => {
  test('takes what the node leaves out from the site, and the rest from the built-in defaults', () => {
    expect(effectiveNode(inventory, 'plain')).toEqual({
      site: 's',
      name: 'plain',
      type: 'gpu',
      driver: 'redfish',
      ports: [],
      retired: false,
      resourceClass: 'bm.gpu',
      bootMode: 'uefi',
      architecture: 'x86_64',
      machineType: { name: 'gpu', resourceClass: 'bm.gpu', expect: {}, tpm: 'clear' },
      bmc: {
        address: 'https://a',
        system: undefined,
        credentials: { username: 'site-user', password: 'env:SITE' },
        tls: { ca: 'ca.pem' },
        auth: 'session',
        timeouts: { connect: 10, request: 45, shutdown: 120 },
        accounts: ['rack', 'monitor'],
        hostInterface: undefined,
        unwatched: false,
      },
    });
  });

  test('lets the node override each field by itself', () => {
    expect(effectiveNode(inventory, 'own')).toMatchObject({
      resourceClass: 'bm.special',
      bootMode: 'bios',
      architecture: 'aarch64',
      bmc: {
        address: 'https://b',
        system: '/redfish/v1/Systems/7',
        credentials: { username: 'site-user', password: 'env:OWN' },
        tls: 'insecure',
        auth: 'basic',
        timeouts: { connect: 3, request: 45, shutdown: 60 },
        accounts: [],
        hostInterface: 'disabled',
        unwatched: true,
      },
    });
  });

  test('needs no BMC for a node that Ironic carries', () => {
    const node = effectiveNode(inventory, 'fake');
    expect(node.bmc).toBeUndefined();
    expect(node.ironic).toEqual({ driver: 'fake-hardware', driverInfo: {} });
  });

  test('says what is unknown', () => {
    const code = (run: () => unknown): unknown => {
      try {
        return run();
      } catch (error) {
        return (error as { failure: { code: string } }).failure.code;
      }
    };
    expect(code(() => effectiveNode(inventory, 'nobody'))).toBe('NODE_UNKNOWN');
    expect(code(() => effectiveNode(inventory, 'lost'))).toBe('CONTRACT_INVALID');
    expect(code(() => imageOf(inventory, 'debian'))).toBe('IMAGE_UNKNOWN');
    expect(() => effectiveNode(inventory, 'nobody')).toThrow(/has no node nobody\./);
    expect(() => effectiveNode(inventory, 'no body')).toThrow(/has no node of this name\./);
    expect(() => imageOf(inventory, 'debian')).toThrow(/It has: ubuntu\./);
    expect(imageOf(inventory, 'ubuntu').checksum).toBe(`sha256:${'ab'.repeat(32)}`);
  });
});
