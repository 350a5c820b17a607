import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { capture, describeCaptures, mockup } from '../activities/redfish/captures/payloads.ts';
import { CREDENTIALS, PayloadServer } from '../activities/redfish/captures/server.ts';
import { startProduct, type Product } from './support/product.ts';

const BLADE = '/redfish/v1/Systems/529QB9452R6';
const MACS = ['02:00:00:10:02:10', '02:00:00:10:02:11', '02:00:00:10:03:10', '02:00:00:10:03:11'];

interface Verdict {
  readonly outcome: string;
  readonly phase: string;
  readonly data: unknown;
  readonly evidence: readonly { readonly id: string; readonly name: string }[];
}

/** The command line over BMCs that answer as those of real machines did; nothing in them can be changed. */
describeCaptures('nodes whose BMCs answer as real ones did', () => {
  const x10 = new PayloadServer(capture('supermicro-x10'));
  const blades = new PayloadServer(mockup('public-bladed'));
  const others = new PayloadServer(mockup('public-bladed'));
  const more = {
    'dell-r6515': new PayloadServer(capture('dell-idrac9-r6515')),
    'dell-17g': new PayloadServer(capture('dell-idrac10')),
    'supermicro-x12': new PayloadServer(capture('supermicro-x12/redfish-1.14.0')),
    'dmtf-rack': new PayloadServer(mockup('public-rackmount1')),
  };
  const all = [x10, blades, others, ...Object.values(more)];
  let product: Product;

  beforeAll(async () => {
    await Promise.all(all.map((bmc) => bmc.start()));
    product = await startProduct({
      inventory: ({ dir }) => {
        writeFileSync(join(dir, 'password'), CREDENTIALS.password, { mode: 0o600 });
        return stringify({
          site: 'captured',
          bmc: {
            credentials: { username: CREDENTIALS.username, password: 'file:password' },
            tls: 'insecure',
          },
          machineTypes: [
            { name: 'x10', expect: { cpus: 16, memoryMiB: 65_536 } },
            { name: 'blade', expect: { cpus: 8, memoryMiB: 65_536 } },
            { name: 'any' },
          ],
          nodes: [
            {
              name: 'x10',
              type: 'x10',
              bmc: { address: x10.url, auth: 'basic' },
              ports: MACS.map((mac) => ({ mac })),
            },
            { name: 'blade', type: 'blade', bmc: { address: blades.url, system: BLADE } },
            { name: 'any-blade', type: 'blade', bmc: { address: others.url } },
            ...Object.entries(more).map(([name, { url }]) => ({
              name,
              type: 'any',
              bmc: { address: url, auth: 'basic' },
            })),
          ],
        });
      },
    });
  });
  afterAll(async () => {
    await product?.stop();
    await Promise.all(all.map((bmc) => bmc.stop()));
  });

  const verb = (...args: string[]): Promise<Verdict> => product.json<Verdict>('node', ...args);

  test('a node is taken in and inspected, and what its BMC said is kept as evidence', async () => {
    expect(await verb('enroll', 'x10')).toMatchObject({ outcome: 'pass', phase: 'manageable' });
    const { data, evidence, ...verdict } = await verb('inspect', 'x10');
    expect(verdict).toMatchObject({ outcome: 'pass', phase: 'manageable' });
    expect(data).toMatchObject({
      drift: false,
      inspection: { threads: 16, memoryGiB: 64, macs: MACS, unread: ['storage', 'update service'] },
    });
    const { id } = evidence.find(({ name }) => name === 'inspection')!;
    const piece = await product.json<{ answer: unknown }>('evidence', 'show', id);
    expect(piece.answer).toMatchObject({
      system: { manufacturer: 'Supermicro', serialNumber: null, sku: null },
      memory: { modules: ['DIMMA1', 'DIMMA2', 'DIMMB1', 'DIMMB2'].map((slot) => ({ slot })) },
      managers: [{ model: 'ASPEED', firmware: '4.0' }],
    });
    expect(JSON.stringify(piece)).not.toContain(CREDENTIALS.password);
  });

  test.each([
    [
      'dell-r6515',
      {
        power: 'on',
        health: 'OK',
        serialNumber: 'CN0000000000S1',
        bootMode: 'Legacy',
        threads: 48,
        memoryGiB: 64,
        macs: [],
      },
    ],
    ['dell-17g', { power: 'off', serialNumber: null, bootMode: 'Legacy', threads: null, memoryGiB: null }],
    [
      'supermicro-x12',
      { power: 'on', health: 'Critical', serialNumber: 'S000000X0000001', bootMode: 'UEFI', memoryGiB: 64 },
    ],
    [
      'dmtf-rack',
      {
        serialNumber: '437XR1138R2',
        threads: 16,
        memoryGiB: 96,
        macs: ['12:44:6a:3b:04:11', '12:44:6a:3b:88:90'],
        driveBytes: [8_000_000_000_000, 4_000_000_000_000],
        gpus: ['GPU1'],
        unread: [],
      },
    ],
  ])('%s is what it says', async (name, inspection) => {
    expect(await verb('enroll', name)).toMatchObject({ outcome: 'pass', phase: 'manageable' });
    const { data, ...verdict } = await verb('inspect', name);
    expect(verdict).toMatchObject({ outcome: 'pass', phase: 'manageable' });
    expect(data).toMatchObject({ drift: false, inspection });
  });

  test('a blade is the one that the contract names', async () => {
    expect(await verb('enroll', 'blade')).toMatchObject({ outcome: 'pass', phase: 'manageable' });
    const { data } = await verb('inspect', 'blade');
    expect(data).toMatchObject({ inspection: { serialNumber: '529QB9452R6', threads: 8, unread: [] } });
  });

  test('and none where it names none: the operation is held', async () => {
    const { code, stdout, stderr } = await product.cli('node', 'enroll', 'any-blade');
    expect(code).toBe(4);
    expect(stdout + stderr).toContain('BMC_AMBIGUOUS_SYSTEM');
  });

  test('nothing was asked of the BMCs but to be read', () => {
    expect(all.flatMap(({ writes }) => writes)).toEqual([]);
  });
});
