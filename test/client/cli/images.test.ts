import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cli, temporaryFolder } from '../../support/cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const disk = (text: string): Buffer => {
  const bytes = Buffer.alloc(4096, text);
  bytes.set([0x55, 0xaa], 510);
  return bytes;
};
const digest = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** A contract whose image has these bytes, while others may lie there. */
function contract(name: string, named: Buffer, there = named): string[] {
  const dir = join(folder.path, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'agent.iso'), '');
  writeFileSync(join(dir, 'ubuntu.raw'), there);
  writeFileSync(
    join(dir, 'site.yaml'),
    `site: berlin
networks: { provisioning: { cidr: 127.0.0.0/8, kind: provisioning } }
media: { gatewayUrl: http://127.0.0.1:8300, iso: agent.iso }
images: [{ name: ubuntu, url: ubuntu.raw, checksum: "${digest(named)}", format: raw }]
machineTypes: [{ name: gpu }]
nodes: []
`,
  );
  return ['--data-dir', join(dir, 'data'), '--inventory', join(dir, 'site.yaml')];
}
const image = (where: readonly string[], ...args: string[]) => cli(['image', ...args, ...where]);
const list = async (where: readonly string[]): Promise<Record<string, unknown>[]> =>
  JSON.parse((await image(where, 'list', '--json')).stdout) as Record<string, unknown>[];

describe('image', () => {
  test('list, promote and rollback tell what a deployment takes', async () => {
    const where = contract('life', disk('one'));
    expect((await list(where))[0]).toMatchObject({ image: 'ubuntu', current: null, deploys: 'contract' });

    const first = await image(where, 'promote', 'ubuntu', '--reason', 'first');
    expect([first.code, first.stdout]).toEqual([
      0,
      `ubuntu is now at version 1: ${digest(disk('one'))}, 4096 bytes\n`,
    ]);
    expect((await image(where, 'promote', 'ubuntu')).stdout).toContain('already at version 1');

    contract('life', disk('two'));
    expect((await list(where))[0]).toMatchObject({ current: 1, deploys: 'promoted', differs: true });
    expect((await image(where, 'list')).stdout).toContain('ubuntu: the contract has other bytes');
    expect(JSON.parse((await image(where, 'promote', 'ubuntu', '--json')).stdout)).toMatchObject({
      image: 'ubuntu',
      current: 2,
      changed: true,
      version: {
        checksum: digest(disk('two')),
        kept: true,
      },
    });

    const back = await image(where, 'rollback', 'ubuntu', '--reason', 'panics');
    expect([back.code, back.stdout]).toEqual([
      0,
      `ubuntu is now at version 1: ${digest(disk('one'))}, 4096 bytes\n`,
    ]);
    const [shown] = await list(where);
    expect(shown).toMatchObject({
      current: 1,
      versions: [
        { version: 1, checksum: digest(disk('one')), reason: 'first', by: expect.stringMatching(/./) },
        { version: 2, checksum: digest(disk('two')), reason: null },
      ],
      changes: [
        { action: 'promote', from: null, to: 1 },
        { action: 'promote', from: 1, to: 2 },
        { action: 'rollback', from: 2, to: 1, reason: 'panics' },
      ],
    });
    expect((await image(where, 'list')).stdout).toMatch(/^ubuntu +1 \* +sha256:[0-9a-f]{12} +raw +4096 /m);
    expect((await image(where, 'rollback', 'ubuntu')).code).toBe(1);
    expect((await image(where, 'rollback', 'ubuntu', '--to', '2')).code).toBe(0);
  });

  test('promote of other bytes than the contract has: exit 1, whose it is, and nothing changed', async () => {
    const where = contract('wrong', disk('one'), disk('bad'));
    const { code, stdout, stderr } = await image(where, 'promote', 'ubuntu');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^IMAGE_CHECKSUM_MISMATCH \(image-supply\): /m);
    expect(stderr).toContain('Nothing was changed.');
    expect((await list(where))[0]).toMatchObject({ current: null, versions: [] });
  });

  test('of a name that the contract lacks, or a version that is no number: exit 2', async () => {
    const where = contract('names', disk('one'));
    const none = await image(where, 'promote', 'debian');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('It has: ubuntu.')]);
    expect((await image(where, 'rollback', 'ubuntu', '--to', 'last')).code).toBe(2);
  });
});
