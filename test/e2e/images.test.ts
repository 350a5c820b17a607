import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pretendImage } from '../../lab/supplies.ts';
import type { NodeState } from '../../workflows/messages.ts';
import { startProduct, type Product } from './support/product.ts';

/** What a promoted image, a rollback and wrong bytes do to a server, by the command line and the lab's own word. */

const NODE = 'node-001';
const IMAGE = 'mine';

let product: Product;
beforeAll(async () => {
  product = await startProduct({ lab: { servers: 1, speed: 20 } });
  for (const verb of ['enroll', 'clean']) await must(0, 'node', verb, NODE);
});
afterAll(() => product?.stop());

/** A whole disk with something of its own on it. */
const disk = (text: string, format: 'raw' | 'qcow2' = 'raw'): Buffer => {
  const bytes = Buffer.alloc(1024 * 1024, text);
  if (format === 'qcow2') {
    bytes.fill(0, 0, 1024);
    bytes.write('QFI\xfb', 'latin1');
    bytes.writeUInt32BE(3, 4);
    bytes.writeBigUInt64BE(BigInt(bytes.length), 24);
  }
  // The lab converts nothing: it looks for the partition table where it stands in a raw image.
  bytes.set([0x55, 0xaa], 510);
  return bytes;
};
const digest = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Puts an image into the contract, with these bytes at its source. */
function supply(bytes: Buffer, format: 'raw' | 'qcow2' = 'raw', checksum = digest(bytes)): string {
  const lab = join(product.dataDir, 'lab');
  const file = join(lab, 'inventory.yaml');
  const path = join(lab, 'images', IMAGE);
  mkdirSync(join(lab, 'images'), { recursive: true });
  writeFileSync(path, bytes);
  const inventory = parse(readFileSync(file, 'utf8')) as { images: { name: string }[] };
  const others = inventory.images.filter(({ name }) => name !== IMAGE);
  const mine = { name: IMAGE, url: path, checksum, format };
  writeFileSync(file, stringify({ ...inventory, images: [...others, mine] }));
  return path;
}

async function must(code: number, ...args: string[]): Promise<string> {
  const done = await product.cli(...args);
  if (done.code !== code) throw new Error(`${args.join(' ')}: ${done.code}\n${done.stderr}${done.stdout}`);
  return done.stderr + done.stdout;
}
const state = (): Promise<NodeState> => product.json<NodeState>('node', 'show', NODE);

interface Entry {
  readonly seq: number;
  readonly event: string;
  readonly [more: string]: unknown;
}
const ask = async (path: string, init: RequestInit = {}): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${product.urls.lab}/servers/${NODE}${path}`, init);
  return (await answer.json()) as Record<string, unknown>;
};
const events = async (after = 0): Promise<Entry[]> =>
  ((await ask(`/log?after=${after}`)) as { entries: Entry[] }).entries;
const last = async (): Promise<number> => (await events()).at(-1)?.seq ?? 0;
/** What the server booted from its disk, by the digests of what stood there. */
const booted = async (after: number): Promise<unknown[]> =>
  (await events(after)).filter(({ event }) => event === 'boot-disk').map((entry) => entry['digest']);
const onDisk = async (): Promise<unknown> => {
  const { disks } = (await ask('')) as { disks: { image: { digest: string } | null }[] };
  return disks.map(({ image }) => image?.digest).find((each) => each !== undefined);
};
const wrongBytes = (times: number): Promise<unknown> =>
  ask('/faults', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ wrongImageBytes: times }),
  });

const WHOLE = pretendImage(IMAGE, 1024 * 1024);
const [ONE, TWO, QCOW] = [disk('one'), disk('two'), disk('three', 'qcow2')];

describe('an image', () => {
  it('that was promoted is what is deployed, whatever the contract and its file become', async () => {
    const path = supply(ONE);
    await must(0, 'image', 'promote', IMAGE, '--reason', 'first');
    writeFileSync(path, disk('rubbish'));
    await must(0, 'node', 'deploy', NODE, '--image', IMAGE, '--owner', 'ada');
    expect(await onDisk()).toBe(digest(ONE));
    supply(TWO);
    await must(0, 'node', 'reimage', NODE, '--image', IMAGE);
    expect(await onDisk()).toBe(digest(ONE));
  });

  it('is another after the next promotion, and the very same after a rollback', async () => {
    await must(0, 'image', 'promote', IMAGE);
    await must(0, 'node', 'reimage', NODE, '--image', IMAGE);
    expect(await onDisk()).toBe(digest(TWO));
    await must(0, 'image', 'rollback', IMAGE, '--reason', 'panics');
    await must(0, 'node', 'reimage', NODE, '--image', IMAGE);
    expect(await onDisk()).toBe(digest(ONE));
  });

  it('with other bytes than its checksum is not promoted, and what is deployed stays', async () => {
    supply(disk('rubbish'), 'raw', digest(TWO));
    expect(await must(1, 'image', 'promote', IMAGE)).toContain('IMAGE_CHECKSUM_MISMATCH (image-supply)');
    expect(
      (await product.json<{ image: string; current: number }[]>('image', 'list')).find(
        ({ image }) => image === IMAGE,
      )?.current,
    ).toBe(1);
  });
});

describe('gate 5', () => {
  const run = ['acceptance', 'run', '--gates', '5'];

  it('passes on the lab as it is', async () => {
    supply(WHOLE);
    await must(0, 'image', 'promote', IMAGE);
    await must(0, ...run, '--on-failure', 'fail');
  });

  it('is held when the copy that deployments take was changed, and passes after the correction that it proposes', async () => {
    const copy = join(product.dataDir, 'images', 'files', digest(WHOLE).replace('sha256:', ''));
    const changed = Buffer.from(WHOLE);
    changed[900_000]! ^= 1;
    writeFileSync(copy, changed);
    const told = await must(4, ...run, '--run-id', 'changed');
    expect(told).toContain('image-supply');
    for (const each of [WHOLE, changed]) expect(told).toContain(digest(each));
    expect(told).toContain(`rackwright image promote ${IMAGE}`);
    await must(0, 'image', 'promote', IMAGE);
    await must(0, 'acceptance', 'resume', 'changed');
    await must(0, 'image', 'rollback', IMAGE, '--to', '1');
  });
});

describe('wrong bytes', () => {
  it('of a raw image are on the disk, which never boots: not by power, resume or abort, until it is written', async () => {
    await wrongBytes(2);
    const before = await last();
    await must(4, 'node', 'reimage', NODE, '--image', IMAGE);
    expect(await state()).toMatchObject({
      phase: 'deploy-failed',
      operation: { held: true, failure: { code: 'IMAGE_CHECKSUM_MISMATCH', faultDomain: 'image-supply' } },
    });
    const dirty = await onDisk();
    expect(dirty).not.toBe(digest(ONE));
    expect(dirty).toBeDefined();
    expect(await ask('')).toMatchObject({ power: 'Off' });
    await must(1, 'node', 'power', NODE, 'on');
    // Asked to go on where the disk would be booted, it writes first: wrong again, and held again.
    await must(4, 'node', 'resume', NODE, '--from', 'boot-disk');
    await must(0, 'node', 'abort', NODE, '--reason', 'test');
    expect((await state()).phase).toBe('deploy-failed');
    expect(await must(1, 'node', 'power', NODE, 'on')).toContain('ILLEGAL_VERB');
    expect(await booted(before)).toEqual([]);
    expect(await ask('')).toMatchObject({ power: 'Off' });
    await must(0, 'node', 'reimage', NODE, '--image', IMAGE);
    expect(await booted(before)).toEqual([digest(ONE)]);
  });

  it('are gone after a release, which wipes before anything is started from the disk', async () => {
    await wrongBytes(1);
    const before = await last();
    await must(4, 'node', 'reimage', NODE, '--image', IMAGE);
    await must(0, 'node', 'abort', NODE, '--reason', 'test');
    await must(0, 'node', 'release', NODE);
    expect((await state()).phase).toBe('available');
    expect([await booted(before), await onDisk()]).toEqual([[], undefined]);
  });

  it('of a qcow2 image never get to the disk', async () => {
    supply(QCOW, 'qcow2');
    await must(0, 'image', 'promote', IMAGE);
    await must(0, 'node', 'deploy', NODE, '--image', IMAGE, '--owner', 'ada');
    expect(await onDisk()).toBe(digest(QCOW));
    await wrongBytes(1);
    await must(4, 'node', 'reimage', NODE, '--image', IMAGE);
    expect((await state()).operation).toMatchObject({ failure: { code: 'IMAGE_CHECKSUM_MISMATCH' } });
    expect(await onDisk()).toBe(digest(QCOW));
    await must(0, 'node', 'resume', NODE);
    expect((await state()).phase).toBe('active');
  });
});
