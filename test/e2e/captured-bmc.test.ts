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
  let product: Product;

  beforeAll(async () => {
    await Promise.all([x10, blades, others].map((bmc) => bmc.start()));
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
          ],
        });
      },
    });
  });
  afterAll(async () => {
    await product?.stop();
    await Promise.all([x10, blades, others].map((bmc) => bmc.stop()));
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
    expect([x10, blades, others].flatMap(({ writes }) => writes)).toEqual([]);
  });
});
