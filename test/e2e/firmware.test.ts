import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OperationReport } from '../../core/operations.ts';
import { FIRMWARE_BASELINE } from '../../lab/supplies.ts';
import { FIRMWARE_AS_SHIPPED } from '../../lab/state.ts';
import type { NodeState } from '../../workflows/messages.ts';
import { startProduct, type Product } from './support/product.ts';

// Firmware through the command line, Temporal, the gateway and the BMC of the lab; and an abort in mid-flash.

const NODE = 'node-001';
let product: Product;
beforeAll(async () => {
  product = await startProduct({ lab: { servers: 1, speed: 5 } });
  expect((await product.cli('node', 'enroll', NODE)).code).toBe(0);
});
afterAll(() => product?.stop());

interface LabEvent {
  readonly event: string;
  readonly component?: string;
}
const at = (): string => `${product.urls.lab}/servers/${NODE}`;
const lab = async <T>(path = ''): Promise<T> => (await fetch(`${at()}${path}`)).json() as Promise<T>;
const count = async (event: string): Promise<number> =>
  (await lab<{ entries: LabEvent[] }>('/log')).entries.filter((each) => each.event === event).length;
const firmware = async (): Promise<object> => (await lab<{ firmware: object }>()).firmware;
const show = (): Promise<NodeState> => product.json<NodeState>('node', 'show', NODE);

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (const ends = Date.now() + 120_000; !(await look());) {
    if (Date.now() > ends) throw new Error(`waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

it('brings a node to its baseline, and finds nothing to do the next time', async () => {
  expect((await product.cli('node', 'service', NODE, '--step', 'firmware')).code).toBe(0);
  expect(await firmware()).toEqual(FIRMWARE_BASELINE);
  expect(await show()).toMatchObject({ phase: 'manageable', power: 'off', flags: { drift: null } });
  expect(await count('update-started')).toBe(3);
  expect((await product.cli('node', 'service', NODE, '--step', 'firmware')).code).toBe(0);
  expect(await count('update-started')).toBe(3);
});

it('an abort in mid-flash stops no flash, says so, and the next service takes it up', async () => {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${at()}/firmware`, { method: 'PUT', headers, body: JSON.stringify(FIRMWARE_AS_SHIPPED) });
  const { operationId } = await product.json<{ operationId: string }>(
    'node',
    'service',
    NODE,
    '--step',
    'firmware',
    '--no-wait',
  );
  await until('an update', async () => (await count('update-started')) === 4);
  const written = await count('firmware-written');
  await product.cli('op', 'abort', operationId, '--reason', 'not tonight');
  await until('the end', async () => (await show()).operation === null);
  const report = await product.json<OperationReport>('op', 'show', operationId);
  expect(report).toMatchObject({ outcome: 'aborted', phase: 'service-failed', residue: [] });
  expect(report.failure?.message).toContain('goes on on the BMC');
  // What is at work may switch it yet: it is not told, or as the watch has seen it since; and nobody else is blamed.
  const left = await show();
  expect(['off', 'unknown']).toContain(left.power);
  expect(left.powerChange ?? null).toBeNull();

  await until('the flash', async () => (await count('firmware-written')) === written + 1);
  expect((await product.cli('node', 'service', NODE, '--step', 'firmware')).code).toBe(0);
  expect(await firmware()).toEqual(FIRMWARE_BASELINE);
  expect(await count('update-started')).toBe(6);
  expect((await show()).phase).toBe('manageable');
});
