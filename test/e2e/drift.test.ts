import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProduct, type Product } from './support/product.ts';
import { setFaults as setLabFaults } from './web-ui/lab.ts';

/** An inspection that finds drift, from the BMC through Temporal to the flag of the node, and its ways out. */

const NODE = 'node-001';
const SMALLER = 'drive LAB001DATA smaller: was 4 TB, is 2 TB (hardware)';

interface Verdict {
  readonly outcome: string;
  readonly phase: string;
  readonly steps: readonly { readonly id: string; readonly summary?: string }[];
  readonly evidence: readonly { readonly id: string; readonly name: string }[];
  readonly data: { readonly findings: readonly { readonly what: string; readonly faultDomain: string }[] };
}

let product: Product;
beforeAll(async () => {
  product = await startProduct({ lab: { servers: 1, speed: 25 } });
});
afterAll(() => product?.stop());

const setFaults = (faults: Readonly<Record<string, boolean>>): Promise<unknown> =>
  setLabFaults(product, NODE, faults);
const verb = (...args: string[]): Promise<Verdict> => product.json<Verdict>('node', ...args);
const drift = async (): Promise<string | null> =>
  (await product.json<{ flags: { drift: string | null } }>('node', 'show', NODE)).flags.drift;
const summaryOf = ({ steps }: Verdict, id: string): string | undefined =>
  steps.find((step) => step.id === id)?.summary;

test('a smaller disk raises the flag, which says so, until the disk is back', async () => {
  expect(await verb('enroll', NODE)).toMatchObject({ outcome: 'pass', phase: 'manageable' });
  expect(await drift()).toBeNull();

  await setFaults({ diskSmaller: true });
  const drifted = await verb('inspect', NODE);
  expect(drifted).toMatchObject({
    outcome: 'pass',
    phase: 'manageable',
    data: { findings: [{ what: 'drive LAB001DATA smaller', faultDomain: 'hardware' }] },
  });
  expect(summaryOf(drifted, 'compare')).toContain(SMALLER);
  expect(summaryOf(drifted, 'inspect')).toContain('Warning: A drive reports less capacity than before');
  expect(await drift()).toBe(SMALLER);
  const { stdout } = await product.cli('node', 'show', NODE);
  expect(stdout).toContain(`drift: ${SMALLER}`);

  const { id } = drifted.evidence.find(({ name }) => name === 'comparison')!;
  const piece = await product.json<{ answer: unknown }>('evidence', 'show', id);
  expect(piece.answer).toMatchObject({ accepted: false, changes: [{ was: '4 TB', is: '2 TB' }] });

  await setFaults({ diskSmaller: false });
  expect(await verb('inspect', NODE)).toMatchObject({ outcome: 'pass' });
  expect(await drift()).toBeNull();
});

test('or until somebody accepts what is there, also across a power cut', async () => {
  await setFaults({ diskSmaller: true });
  await verb('inspect', NODE);
  await product.kill9();
  await product.restart();
  expect(await drift()).toBe(SMALLER);
  await verb('inspect', NODE);
  expect(await drift()).toBe(SMALLER);
  const accepting = await verb('inspect', NODE, '--accept');
  expect(summaryOf(accepting, 'compare')).toContain('accepted since');
  expect(await drift()).toBeNull();
});
