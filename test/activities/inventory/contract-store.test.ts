import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contractHash, loadContract, storeContract } from '../../../activities/inventory/contract-store.ts';
import { requireInventory } from '../../../activities/inventory/load.ts';
import { Inventory } from '../../../contracts/inventory/inventory.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contracts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a stored contract comes back as it was, by its hash', async () => {
  const inventory = await requireInventory('examples/gpu-rack.yaml');
  const hash = await storeContract(folder, inventory);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(hash).toBe(contractHash(inventory));
  expect(await loadContract(folder, hash)).toEqual(inventory);
  expect(await storeContract(folder, inventory)).toBe(hash);
  expect(readdirSync(folder)).toEqual([`${hash}.json`]);
  expect(statSync(join(folder, `${hash}.json`)).mode & 0o777).toBe(0o600);
});

test('the hash is that of the meaning, not of the order of keys', () => {
  const a = Inventory.parse({ site: 's', holdFor: '1h', onHold: 'safe' });
  const b = Inventory.parse({ onHold: 'safe', holdFor: 3600, site: 's' });
  expect(contractHash(a)).toBe(contractHash(b));
  expect(contractHash(Inventory.parse({ site: 't', holdFor: '1h', onHold: 'safe' }))).not.toBe(
    contractHash(a),
  );
});

test('secrets are stored as references', async () => {
  const inventory = await requireInventory('examples/minimal.yaml');
  process.env['BMC_PASSWORD'] = 'the-password-itself';
  const hash = await storeContract(folder, inventory);
  const text = readFileSync(join(folder, `${hash}.json`), 'utf8');
  expect(text).toContain('env:BMC_PASSWORD');
  expect(text).not.toContain('the-password-itself');
});

test('one that is not there, was changed, or has no hash for a name', async () => {
  const hash = await storeContract(folder, Inventory.parse({ site: 's' }));
  await expect(loadContract(folder, '0'.repeat(64))).rejects.toMatchObject({
    failure: { code: 'CONTRACT_NOT_STORED' },
  });
  await expect(loadContract(folder, '../x')).rejects.toMatchObject({
    failure: { code: 'STORE_NAME_INVALID' },
  });
  writeFileSync(join(folder, `${hash}.json`), '{"site":"t"}');
  await expect(loadContract(folder, hash)).rejects.toMatchObject({ failure: { code: 'STORE_CORRUPT' } });
  await storeContract(folder, Inventory.parse({ site: 's' }));
  expect((await loadContract(folder, hash)).site).toBe('s');
});
