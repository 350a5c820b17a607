import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  installHardwareManager,
  type Drives,
  type EraseAnswer,
  type Erases,
} from '../peers/hardware-manager.ts';

/** The hardware manager in a real ironic-python-agent: files are the disks, programs of ours the drives. */
const SIZE = 16 * 1024 * 1024;
const PLACES = 1512;
const JUDGES = { agent_continue_if_secure_erase_failed: true, rackwright_judges_erase_proof: true };
const run = promisify(execFile);
let folder: string;
let ours: Erases;
let stock: Erases;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rackwright-erase-'));
  ({ with: ours, stock } = await installHardwareManager(folder));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

let disks = 0;
async function disk(size = SIZE): Promise<string> {
  const file = join(folder, `disk-${(disks += 1)}`);
  await writeFile(file, randomBytes(size));
  return file;
}

/** Erases one disk of this kind, full of somebody's data. */
async function erased(
  tran: string,
  drives: Drives = {},
  info: object = JUDGES,
): Promise<EraseAnswer & Proof> {
  const name = await disk();
  const answer = await ours({ disks: [{ name, serial: 'S1', wwn: '0x1', size: SIZE, tran }], info }, drives);
  return { ...answer, proof: answer.result?.[name] ?? {} };
}

interface Proof {
  readonly proof: { readonly [key: string]: unknown };
}

it('is a hardware manager of the agent, and adds no step to it', async () => {
  const { versions, steps } = await erased('sata');
  expect(versions).toMatchObject({ rackwright_hardware_manager: '1', generic_hardware_manager: '1.2' });
  expect(Object.keys(steps).sort()).toEqual(['ContainerHardwareManager', 'GenericHardwareManager']);
  expect(steps['GenericHardwareManager']!.map(({ step }) => step)).toContain('erase_devices');
});

describe('NVMe', () => {
  it('is formatted with a new key where the controller can', async () => {
    const { proof } = await erased('nvme', { nvme: { ses2: 'random' } });
    expect(proof).toMatchObject({
      serial: 'S1',
      wwn: '0x1',
      sizeBytes: SIZE,
      method: 'nvme-crypto-erase',
      rule: 'changed',
      direct: true,
      sampledBlocks: PLACES,
      nonZeroBlocks: PLACES,
      leftBlocks: 0,
      verified: true,
      failedMethods: [],
    });
    const times = ['startedAt', 'finishedAt', 'verifiedAt'].map((key) => String(proof[key]));
    expect(times).toEqual([...times].sort());
    expect(times[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('is formatted without one where it cannot, and may be full of ones then', async () => {
    const { proof } = await erased('nvme', { nvme: { fna: 0, ses1: 'ones' } });
    expect(proof).toMatchObject({ method: 'nvme-format', rule: 'empty', leftBlocks: 0, verified: true });
    expect(proof['failedMethods']).toEqual([]);
  });

  it('falls back to the next format where a new key is refused, or changes nothing', async () => {
    const refused = await erased('nvme', { nvme: { ses2: 'refuses', ses1: 'zero' } });
    expect(refused.proof).toMatchObject({ method: 'nvme-format', nonZeroBlocks: 0, verified: true });
    expect(refused.proof['failedMethods']).toEqual([
      { method: 'nvme-crypto-erase', reason: expect.stringContaining('Invalid Field in Command') as string },
    ]);
    const lied = await erased('nvme', { nvme: { ses2: 'nothing', ses1: 'zero' } });
    const reason = `read back at ${PLACES} places, ${PLACES} not erased, 0 unreadable`;
    expect(lied.proof).toMatchObject({ method: 'nvme-format', verified: true });
    expect(lied.proof['failedMethods']).toEqual([{ method: 'nvme-crypto-erase', reason }]);
  });

  it('is overwritten where it refuses every format, has none, or cannot be asked, and says so', async () => {
    const cases: [object, string[], RegExp][] = [
      [{}, ['nvme-crypto-erase', 'nvme-format'], /Invalid Field/],
      [{ oacs: 0x15 }, ['nvme-format'], /no format command/],
      [{ silent: true }, ['nvme-format'], /unknown: .*No such device/],
    ];
    for (const [nvme, methods, reason] of cases) {
      const { proof } = await erased('nvme', { nvme });
      expect(proof).toMatchObject({ method: 'overwrite', rule: 'zero', nonZeroBlocks: 0, verified: true });
      const failed = proof['failedMethods'] as { method: string; reason: string }[];
      expect(failed.map(({ method }) => method)).toEqual(methods);
      for (const each of failed) expect(each.reason).toMatch(reason);
    }
  });

  it('fails, with its serial and the reason, where overwriting is not allowed', async () => {
    const { error } = await erased('nvme', {}, { rackwright_judges_erase_proof: true });
    expect(error).toMatchObject({ type: 'BlockDeviceEraseError' });
    expect(error!.details).toMatch(/serial S1.*not allowed.*nvme-format: NVMe status: Invalid Field/);
  });
});

describe('ATA', () => {
  it('erases itself, the enhanced way where it can', async () => {
    const plain = await erased('sata');
    expect(plain.proof).toMatchObject({
      method: 'ata-secure-erase',
      rule: 'zero',
      nonZeroBlocks: 0,
      verified: true,
    });
    const enhanced = await erased('sata', { hdparm: { enhanced: true, erase: 'pattern' } });
    expect(enhanced.proof).toMatchObject({
      method: 'ata-enhanced-secure-erase',
      rule: 'changed',
      nonZeroBlocks: PLACES,
      leftBlocks: 0,
      verified: true,
    });
  });

  it('is never asked to where it is frozen: it is overwritten, and that is said', async () => {
    const { proof } = await erased('sata', { hdparm: { frozen: true } });
    expect(proof).toMatchObject({ method: 'overwrite', nonZeroBlocks: 0, verified: true });
    expect(proof['failedMethods']).toEqual([
      { method: 'ata-secure-erase', reason: expect.stringContaining('is frozen') as string },
    ]);
    const { error } = await erased('sata', { hdparm: { frozen: true } }, {});
    expect(error!.details).toMatch(/serial S1.*not allowed.*is frozen/);
  });

  it('is overwritten where its erase fails, and where it has none', async () => {
    const failing = await erased('sata', { hdparm: { erase: 'fails' } });
    expect(failing.proof).toMatchObject({ method: 'overwrite', verified: true });
    expect(failing.proof['failedMethods']).toMatchObject([{ reason: /Input\/output error/ }]);
    // Nothing that the drive could have done failed: that needs no permission.
    const none = await erased('sata', { hdparm: { security: false } }, {});
    expect(none.proof).toMatchObject({ method: 'overwrite', verified: true });
    expect(none.proof['failedMethods']).toMatchObject([{ reason: /no ATA security/ }]);
    // Behind a bridge it says what it could do, and cannot be told to do it.
    const bridged = await erased('sata', { hdparm: { bridged: true } }, {});
    expect(bridged.proof).toMatchObject({ method: 'overwrite', verified: true });
    expect(bridged.proof['failedMethods']).toMatchObject([{ reason: /no ATA commands directly/ }]);
  });

  it('whose maker writes the same pattern at each erase is overwritten, since that is what stood there', async () => {
    const name = await disk();
    const hdparm = { enhanced: true, erase: 'pattern' };
    const request = { disks: [{ name, serial: 'S1', tran: 'sata' }], info: JUDGES };
    await ours(request, { hdparm });
    const { result } = await ours(request, { hdparm });
    expect(result![name]).toMatchObject({ method: 'overwrite', nonZeroBlocks: 0, verified: true });
  });
});

describe('what is not erased', () => {
  it('virtual disks have no way of their own: they are overwritten', async () => {
    const { proof } = await erased('virtio', {}, {});
    expect(proof).toMatchObject({ method: 'overwrite', failedMethods: [], verified: true });
  });

  it('a member of a software RAID is left alone, and that is said, where the plain agent says nothing', async () => {
    const [name, sysBlock] = [await disk(), join(folder, 'sys-block')];
    await mkdir(join(sysBlock, basename(name), `${basename(name)}1`, 'holders', 'md127'), {
      recursive: true,
    });
    const request = { disks: [{ name, serial: 'S1' }], info: JUDGES };
    const lsblk = 'linux_raid_member';
    const { result } = await ours({ ...request, sysBlock }, { lsblk });
    expect(result![name]).toMatchObject({ serial: 'S1', skipped: 'raid-member' });
    expect(result![name]).not.toHaveProperty('verified');
    const plain = await stock(request, { lsblk });
    expect(plain.result).toEqual({ [name]: null });
    // So is one that Ironic wants to keep, though it could not be assembled.
    const properties = { skip_block_devices: [{ volume_name: 'keep' }] };
    expect((await ours({ ...request, properties }, { lsblk })).result![name]).toMatchObject({
      skipped: 'raid-member',
    });
    expect((await readFile(name)).every((byte) => byte === 0)).toBe(false);
  });

  it('but a member that no array has is erased: whoever took it out left data on it', async () => {
    const { proof } = await erased('sata', { lsblk: 'linux_raid_member' });
    expect(proof).toMatchObject({ serial: 'S1', method: 'ata-secure-erase', verified: true });
  });

  it('a disk that is read-only fails the step, or is named where it may be skipped', async () => {
    const name = await disk();
    const request = { disks: [{ name, serial: 'S1' }], readOnly: [name] };
    const { error } = await ours({ ...request, info: JUDGES });
    expect(error!.details).toMatch(/serial S1\) could not be erased: it is read-only/);
    const info = { ...JUDGES, agent_erase_skip_read_only: true };
    expect((await ours({ ...request, info })).result![name]).toMatchObject({ skipped: 'read-only' });
  });

  it('a disk that is gone fails the step, though the others are erased', async () => {
    const [name, gone] = [await disk(), join(folder, 'gone')];
    const both = [
      { name, serial: 'S1' },
      { name: gone, serial: 'S2' },
    ];
    const { error } = await ours({ disks: both, info: JUDGES });
    expect(error!.details).toMatch(/gone \(serial S2\) could not be erased.*No such file/);
    expect((await readFile(name)).every((byte) => byte === 0)).toBe(true);
  });

  it('the plain agent answers nothing but the names of the disks', async () => {
    const name = await disk();
    const { result, versions } = await stock({ disks: [{ name, serial: 'S1' }], info: JUDGES });
    expect(result).toEqual({ [name]: null });
    expect(versions['rackwright_hardware_manager']).toBeUndefined();
  });
});

describe('reading back', () => {
  /** A `shred` that says it is done. */
  async function idle(): Promise<string> {
    const tools = await mkdtemp(join(folder, 'tools-'));
    await writeFile(join(tools, 'shred'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    return tools;
  }

  it('finds a disk that was not overwritten, though the program says so', async () => {
    const { proof } = await erased('virtio', { tools: await idle() });
    expect(proof).toMatchObject({ method: 'overwrite', leftBlocks: PLACES, verified: false });
    expect(proof['leftAt']).toEqual([0, 4096, 8192, 12288, 16384, 20480, 24576, 28672]);
  });

  it('fails the step for a conductor that does not read proofs', async () => {
    const info = { agent_continue_if_secure_erase_failed: true };
    const { error } = await erased('virtio', { tools: await idle() }, info);
    expect(error).toMatchObject({ type: 'BlockDeviceEraseError' });
    expect(error!.details).toMatch(
      /serial S1.*overwrite went through; read back at 1512 places, 1512 not erased/,
    );
  });

  it('leaves nothing of 1,000 canaries on a device of 256 MiB', async () => {
    const [file, canary] = [join(folder, 'big'), randomBytes(512)];
    const size = 256 * 1024 * 1024;
    const handle = await open(file, 'w+');
    await handle.truncate(size);
    for (let n = 0; n < 1000; n += 1) await handle.write(canary, 0, 512, randomInt(size / 512) * 512);
    await handle.close();
    const { name, close } = await asDevice(file);
    try {
      const ownLsblk = name !== file;
      const { result } = await ours({ disks: [{ name, serial: 'S1' }], info: JUDGES }, { ownLsblk });
      expect(result![name]).toMatchObject({ method: 'overwrite', sampledBlocks: PLACES, verified: true });
    } finally {
      await close();
    }
    const bytes = await readFile(file);
    expect([bytes.length, bytes.indexOf(canary)]).toEqual([size, -1]);
    expect(bytes.equals(Buffer.alloc(size))).toBe(true);
  });

  /** The file as a block device, where this machine may make one; else as it is. */
  async function asDevice(file: string): Promise<{ name: string; close: () => Promise<void> }> {
    await mkdir(folder, { recursive: true });
    try {
      const name = (await run('losetup', ['--find', '--show', file])).stdout.trim();
      return { name, close: async () => void (await run('losetup', ['--detach', name])) };
    } catch {
      return { name: file, close: async () => {} };
    }
  }
});
