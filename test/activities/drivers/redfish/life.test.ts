import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { redfishDriver } from '../../../../activities/drivers/redfish/driver.ts';
import { startBench, type Bench } from './bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench.close());

const NODE = 'node-001';
/** Stands in the user data of the tenant, and may stand nowhere else. */
const CANARY = 'canary-of-the-tenant';
const nothingLeft = async (): Promise<void> => {
  const { override, media } = await bench.server(NODE);
  expect(override.enabled).toBe('Disabled');
  expect(Object.values(media).some((slot) => slot.inserted)).toBe(false);
};
const summary = (operation: ReturnType<Bench['begin']>, step: string): string =>
  operation.outputs.get(step)!.summary;

it('enrolls: reached, inspected, as the contract says', async () => {
  const operation = bench.begin('enroll', NODE);
  await operation.run();
  expect(summary(operation, 'inspect')).toContain('8 GPUs');
  expect(summary(operation, 'compare')).toContain('As the contract says');
  expect(bench.evidence.get(`${operation.ref.requestId}/inspect/inspection`)).toMatchObject({ power: 'off' });
  expect(operation.outputs.get('inspect')!.data).toMatchObject({ power: 'off', health: 'OK' });
});

it('cleans in full, with a proof for each disk, and leaves nothing behind', async () => {
  const operation = bench.begin('clean', NODE);
  await operation.run();
  const { power, disks } = await bench.server(NODE);
  expect(power).toBe('Off');
  expect(disks.every((disk) => disk.image === null && disk.canaries.length === 0)).toBe(true);
  await nothingLeft();
  expect(summary(operation, 'erase')).toMatch(/Erased in full.*nvme0n1.*nvme1n1/);
  expect(bench.evidence.get(`${operation.ref.requestId}/erase/erase-proof`)).toMatchObject({
    mode: 'full',
    proof: { '/dev/nvme0n1': { verified: true } },
  });
  operation.end();
});

it('deploys: image, config drive, first boot, hand-over', async () => {
  const [image] = bench.inventory.images;
  const userData = join(dirname(bench.lab.inventory), 'user-data');
  writeFileSync(userData, `#!/bin/sh\n# ${CANARY}\n`);
  const args = { image: image!.name, hostname: 'tenant-7', userData: `file:${userData}` };
  const operation = bench.begin('deploy', NODE, args);
  await operation.run();
  const { power, running, disks } = await bench.server(NODE);
  expect([power, running?.from]).toEqual(['On', 'disk']);
  expect(disks[0]!.image?.digest).toBe(image!.checksum);
  expect(disks[1]!.image).toBeNull();
  await nothingLeft();
  expect(bench.operations.reports[0]).toMatchObject({ hostname: 'tenant-7' });
  expect(summary(operation, 'write-image')).toContain('LAB001ROOT');
  expect(summary(operation, 'hand-over')).toContain('8 GPUs');
  expect((await bench.server(NODE)).tpm.sealed).toEqual([expect.stringMatching(/^keys of instance /)]);
  expect(await redfishDriver.facts['disk-booted']!(operation.context('facts'))).toBe(true);
  expect(await redfishDriver.facts['agent-alive']!(operation.context('facts'))).toBe(false);
  operation.end();
});

it('adopts and inspects what runs without a write or a reboot', async () => {
  const before = (await bench.log(NODE)).length;
  for (const verb of ['adopt', 'inspect'] as const) {
    const operation = bench.begin(verb, NODE, verb === 'adopt' ? { owner: 'team-a' } : {});
    await operation.run();
    operation.end();
  }
  const after = (await bench.log(NODE)).slice(before).map(({ event }) => event);
  expect(after.filter((event) => /power|override|insert|eject|boot/.test(event))).toEqual([]);
});

it('reboots, and stops and starts a running system', async () => {
  for (const [state, power] of [
    ['reboot', 'On'],
    ['off', 'Off'],
    ['on', 'On'],
  ] as const) {
    const before = (await bench.log(NODE)).length;
    const operation = bench.begin('power', NODE, { state });
    await operation.run();
    operation.end();
    expect((await bench.server(NODE)).power).toBe(power);
    const states = (await bench.log(NODE)).slice(before).filter(({ event }) => event === 'power');
    if (state === 'reboot') expect(states.map((each) => each['state'])).toEqual(['Off', 'On']);
  }
});

it('reimages and says what happens to data disks', async () => {
  const name = bench.inventory.images.at(-1)!.name;
  const operation = bench.begin('reimage', NODE, { image: name, keepData: true });
  await operation.run();
  expect(summary(operation, 'write-image')).toContain('data disks kept as they are: /dev/nvme1n1');
  operation.end();
});

it('releases: stopped, compared, TPM cleared, erased', async () => {
  const operation = bench.begin('release', NODE);
  await operation.run();
  expect(summary(operation, 'compare-bmc')).toContain('none beside those of the contract');
  expect(summary(operation, 'verify-tpm')).toContain('was taken at the reset');
  expect(summary(operation, 'compare-boot')).toContain('3 boot options told');
  const { power, disks, tpm } = await bench.server(NODE);
  expect(tpm.sealed).toEqual([]);
  expect(power).toBe('Off');
  expect(disks.every((disk) => disk.image === null)).toBe(true);
  operation.end();
});

it('kept no token, password or user data in summaries, evidence or the log of the gateway', () => {
  const password = readFileSync(join(dirname(bench.lab.inventory), 'secrets', 'bmc-password'), 'utf8').trim();
  const texts = [JSON.stringify([...bench.evidence]), bench.logged()];
  for (const text of texts) {
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(password);
    expect(text).not.toMatch(/eyJ|WyJsYWIi/);
  }
});
