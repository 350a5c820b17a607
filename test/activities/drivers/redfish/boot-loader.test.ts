import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StepContext } from '../../../../activities/drivers/driver.ts';
import { redfishDriver } from '../../../../activities/drivers/redfish/driver.ts';
import type { StepOutput } from '../../../../core/operations.ts';
import { codeOf } from '../../support.ts';
import { startBench, type Bench, type Running } from './bench.ts';

/** Boot entries: written when an image has been, removed when the disks are erased, on servers of the lab. */

let bench: Bench;
beforeAll(async () => {
  bench = await startBench({ servers: 1, speed: 25 });
});
afterAll(() => bench.close());

const NODE = 'node-001';
let operation: Running | undefined;
afterEach(async () => {
  await fetch(`${bench.lab.controlUrl}/servers/${NODE}/faults`, { method: 'DELETE' });
  if (operation !== undefined) {
    await operation.settle();
    operation.end();
  }
  operation = undefined;
});

const deployed = async (): Promise<Running> => {
  operation = bench.begin('deploy', NODE, { image: bench.inventory.images[0]!.name });
  await operation.run('verify-image');
  return operation;
};
const erased = async (): Promise<Running> => {
  operation = bench.begin('release', NODE);
  await operation.run('erase');
  return operation;
};
const countOf = async (event: string): Promise<number> =>
  (await bench.log(NODE)).filter((each) => each.event === event).length;
const attempt = (step: string, change: object = {}, number = 1): Promise<StepOutput> => {
  const context = operation!.context(step);
  const node = { ...context.node, ...change } as StepContext['node'];
  return new MockActivityEnvironment({ attempt: number }).run(() =>
    redfishDriver.steps[step]!({ ...context, node }),
  ) as Promise<StepOutput>;
};
/** The boot options as the BMC tells them. */
const options = async (): Promise<string> => {
  const { evidence, inventory } = bench;
  await attempt('compare-boot', {
    machineType: { ...inventory.machineTypes[0]!, expect: {} },
  });
  const seen = evidence.get(`${operation!.ref.requestId}/compare-boot/boot-variables`) as unknown as {
    options: { reference: string; name: string }[];
  };
  return seen.options.map(({ reference, name }) => `${reference} ${name}`).join(', ');
};
const OWN = 'Boot0001 UEFI: Hard Disk, Boot0002 UEFI: Virtual CD, Boot0003 UEFI: PXE IPv4';
const OURS = 'Boot0005 ironic1';
const REMOVED = 'Boot entries that point into a disk are removed; others are as they were';

describe('the boot entry of an image', () => {
  it('is written once and stands first, on the disk that was written', async () => {
    const { outputs } = await deployed();
    const before = await countOf('boot-entry-written');
    await operation!.step('install-bootloader');
    expect(outputs.get('install-bootloader')!.summary).toBe(
      'Boot entry for the loader on /dev/nvme0n1 written, first in the boot order',
    );
    expect(await options()).toMatch(new RegExp(`^${OURS}, ${OWN}`));
    // Whoever could not say so any more does not write it again.
    await attempt('install-bootloader', {}, 2);
    await attempt('install-bootloader');
    expect((await countOf('boot-entry-written')) - before).toBe(1);
    expect(bench.evidence.get(`${operation!.ref.requestId}/install-bootloader/boot-entries`)).toMatchObject({
      status: 'succeeded',
      error: null,
    });
  });

  it.each([
    ['imageWithoutEsp', 'There is no EFI system partition on /dev/nvme0n1.'],
    ['imageWithoutLoader', 'The EFI system partition on /dev/nvme0n1 has no boot loader.'],
  ])('is not written where firmware would find nothing: %s', async (fault, message) => {
    await deployed();
    await bench.faults(NODE, { [fault]: 1 });
    await expect(attempt('install-bootloader')).rejects.toMatchObject({
      failure: { code: 'IMAGE_NOT_BOOTABLE', faultDomain: 'image-supply', retryable: false, message },
    });
    // A later attempt of the same run is told again; a resumed run asks anew.
    expect(await codeOf(attempt('install-bootloader', {}, 2))).toBe('IMAGE_NOT_BOOTABLE');
    expect((await attempt('install-bootloader')).summary).toContain('written, first');
  });

  it.each([
    [
      'bootEntriesReadOnly',
      /^No boot entry was written: Could not prepare Boot variable: Read-only file system;/,
    ],
    ['noEfibootmgr', /^No boot entry was written: efibootmgr of the ramdisk does not work: .*No such file/],
    [
      'espUnnamed',
      /^No boot entry was written: .*No partition with UUID 6f0b7a52-.* on device \/dev\/nvme0n1;/,
    ],
    ['espNotMounted', /^No boot entry was written: unknown filesystem type 'vfat';/],
    ['agentKeepsNvram', /^No boot entry was written: the agent has no clean step clean_uefi_nvram, so none/],
  ])(
    'that cannot be written is told, and the node started by the fallback loader: %s',
    async (fault, told) => {
      await deployed();
      await bench.faults(NODE, { [fault]: true });
      const { summary } = await attempt('install-bootloader');
      expect(summary).toMatch(told);
      expect(summary).toMatch(
        /the disk starts only by EFI\/BOOT\/BOOTX64.EFI, which firmware looks for by itself$/,
      );
    },
  );

  it('that could not be removed again is not written', async () => {
    await deployed();
    const before = await countOf('boot-entry-written');
    await bench.faults(NODE, { agentKeepsNvram: true });
    await attempt('install-bootloader');
    expect(await countOf('boot-entry-written')).toBe(before);
  });

  it('is none where the node boots by BIOS', async () => {
    await deployed();
    const before = await countOf('boot-entry-written');
    expect((await attempt('install-bootloader', { bootMode: 'bios' })).summary).toBe(
      'The node boots by BIOS, which knows no boot entries',
    );
    expect(await countOf('boot-entry-written')).toBe(before);
  });
});

describe('after an erase', () => {
  it('what points into the disks is removed, and done again without harm', async () => {
    await erased();
    expect(await options()).toContain(OURS);
    expect((await operation!.step('clean-nvram')).summary).toBe(REMOVED);
    expect((await attempt('clean-nvram', {}, 2)).summary).toBe(REMOVED);
    expect(await options()).toMatch(new RegExp(`^${OWN}`));
  });

  it('so is an entry with the whole path to the disk', async () => {
    await deployed();
    await bench.faults(NODE, { bootEntriesFullPath: true });
    await operation!.step('install-bootloader');
    await operation!.settle();
    operation!.end();
    await erased();
    expect(await options()).toContain(OURS);
    await operation!.step('clean-nvram');
    expect(await options()).toMatch(new RegExp(`^${OWN}`));
  });

  it('what the BMC shows of it until the next POST is told, and no finding', async () => {
    await deployed();
    await operation!.step('install-bootloader');
    await operation!.settle();
    operation!.end();
    await erased();
    await bench.faults(NODE, { bootOptionsOfLastPost: true });
    const found = { failure: { code: 'BOOT_MISMATCH' } };
    await expect(attempt('compare-boot')).rejects.toMatchObject(found);
    await operation!.step('clean-nvram');
    expect((await attempt('compare-boot')).summary).toContain(
      '; 4 boot options told; 1 of them removed, and shown by the BMC until the next POST',
    );
    expect(await options()).toContain(OURS);
    // What the network leads to was not removed.
    await bench.faults(NODE, { bootOptionsOfLastPost: true, foreignBootOption: true });
    await expect(attempt('compare-boot')).rejects.toMatchObject(found);
  });

  it.each([
    ['agentKeepsNvram', /^The agent has no clean step clean_uefi_nvram; /],
    ['bootEntriesReadOnly', /may still be there: Could not prepare Boot variable: Read-only file system$/],
    ['noEfibootmgr', /may still be there: Clean step failed: .*efibootmgr$/],
  ])('what cannot be removed is told, and judged by the machine type: %s', async (fault, told) => {
    await deployed();
    await operation!.step('install-bootloader');
    await operation!.settle();
    operation!.end();
    await erased();
    await bench.faults(NODE, { [fault]: true });
    expect((await attempt('clean-nvram')).summary).toMatch(told);
    await expect(attempt('compare-boot')).rejects.toMatchObject({
      failure: {
        code: 'BOOT_MISMATCH',
        details: { differences: [`boot option Boot0005 "ironic1" is not among those of the machine type`] },
      },
    });
  });

  it('there is nothing to remove where the node boots by BIOS', async () => {
    await erased();
    expect((await attempt('clean-nvram', { bootMode: 'bios' })).summary).toBe(
      'The node boots by BIOS, which knows no boot entries',
    );
  });
});
