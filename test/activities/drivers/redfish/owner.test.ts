import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StepContext } from '../../../../activities/drivers/driver.ts';
import { onSystem } from '../../../../activities/drivers/redfish/bmc.ts';
import { redfishDriver } from '../../../../activities/drivers/redfish/driver.ts';
import { readBios } from '../../../../activities/redfish/bios.ts';
import { RackwrightError } from '../../../../core/errors/failure.ts';
import type { JsonObject } from '../../../../core/json.ts';
import type { StepOutput } from '../../../../core/operations.ts';
import { startBench, type Bench, type Running } from './bench.ts';

/** What a change of owner takes beside the erase, on servers of the lab. */

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
    await nothingPending(operation);
    operation.end();
  }
  operation = undefined;
});

/** What waits for a reset is taken back, so that the next test asks for it anew. */
const nothingPending = (on: Running): Promise<unknown> =>
  onSystem(on.context('settle'), async (bmc, system) => {
    const found = await readBios(bmc, system);
    return bmc.send('PATCH', found!.settings!.uri, { body: { Attributes: { Tpm2Operation: 'NoAction' } } });
  });

const begin = (): Running => (operation = bench.begin('release', NODE));
const sealed = async (): Promise<readonly string[]> => (await bench.server(NODE)).tpm.sealed;
const length = async (): Promise<number> => (await bench.log(NODE)).length;
const writesOfBios = async (after: number): Promise<number> =>
  (await bench.log(NODE))
    .slice(after)
    .filter((each) => each.event === 'request' && String(each['path']).includes('/Bios')).length;

/** Runs a step once, under a contract that is changed like this. */
async function under(
  step: string,
  change: { bmc?: object; expect?: object; tpm?: 'clear' | 'keep' },
): Promise<StepOutput> {
  const context = operation!.context(step);
  const { bmc, machineType } = context.node;
  const expected = { ...machineType.expect, ...change.expect };
  const node = {
    ...context.node,
    bmc: { ...bmc!, ...change.bmc },
    machineType: { ...machineType, expect: expected, tpm: change.tpm ?? machineType.tpm },
  } as StepContext['node'];
  return new MockActivityEnvironment({ attempt: 1 }).run(() =>
    redfishDriver.steps[step]!({ ...context, node }),
  ) as Promise<StepOutput>;
}
const once = (step: string): Promise<StepOutput> => under(step, {});

const failed = async (work: Promise<unknown>): Promise<RackwrightError['failure']> => {
  const error = await work.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (!(error instanceof RackwrightError)) throw new Error(`no failure: ${String(error)}`);
  return error.failure;
};
const evidence = (step: string, name: string): unknown =>
  bench.evidence.get(`${operation!.ref.requestId}/${step}/${name}`);

describe('the BMC', () => {
  it('has the accounts and the host interface of the contract', async () => {
    begin();
    const { summary } = await operation!.step('compare-bmc');
    expect(summary).toBe('1 accounts; none beside those of the contract');
    expect(evidence('compare-bmc', 'bmc-accounts')).toMatchObject({
      accounts: [{ name: 'admin', role: 'Administrator', enabled: true }],
      hostInterfaces: [{ type: 'NetworkHostInterface', enabled: false }],
      differences: [],
    });
  });

  it('has an account that the tenant left, and lets the host in: each is named, with evidence', async () => {
    begin();
    await bench.faults(NODE, { foreignAccount: true, hostInterfaceEnabled: true });
    const differences = [
      'account "tenant" (Administrator) is enabled',
      'host interface "/redfish/v1/Managers/1/HostInterfaces/1" is enabled',
    ];
    expect(await failed(once('compare-bmc'))).toMatchObject({
      code: 'BMC_MISMATCH',
      faultDomain: 'bmc',
      retryable: false,
      message: `The BMC is not as the contract says: ${differences.join('; ')}.`,
      details: { differences },
    });
    expect(evidence('compare-bmc', 'bmc-accounts')).toMatchObject({ differences });
    expect(
      (await under('compare-bmc', { bmc: { accounts: ['tenant'], hostInterface: 'enabled' } })).summary,
    ).toBe('2 accounts; none beside those of the contract');
  });

  it('is told, where the contract does not say what it should be', async () => {
    begin();
    await bench.faults(NODE, { foreignAccount: true, hostInterfaceEnabled: true });
    const silent = { bmc: { accounts: undefined, hostInterface: undefined } };
    expect((await under('compare-bmc', silent)).summary).toMatch(
      /^2 accounts; enabled beside the contract's: account "tenant" \(Administrator\); .*; 1 host interfaces are enabled/,
    );
  });

  it('may keep its accounts from ours: a failure where the contract speaks of them, else told', async () => {
    begin();
    await bench.faults(NODE, { accountsForbidden: true });
    expect(await failed(once('compare-bmc'))).toMatchObject({
      code: 'BMC_PRIVILEGE_MISSING',
      retryable: false,
      message: expect.stringContaining('accounts and host interface') as string,
      correction: expect.stringContaining('ConfigureUsers') as string,
      details: { forbidden: ['accounts', 'host interface'] },
    });
    expect(evidence('compare-bmc', 'bmc-accounts')).toMatchObject({ accounts: null, differences: [] });
    const silent = { bmc: { accounts: undefined, hostInterface: undefined } };
    expect((await under('compare-bmc', silent)).summary).toContain(
      'not permitted to read: accounts, host interface',
    );
  });

  it('that cannot show its accounts now is asked again', async () => {
    begin();
    await bench.faults(NODE, { accountsFail: 1 });
    expect(await failed(once('compare-bmc'))).toMatchObject({ code: 'BMC_INTERNAL_ERROR', retryable: true });
    expect((await once('compare-bmc')).summary).toBe('1 accounts; none beside those of the contract');
  });
});

describe('what the firmware boots', () => {
  const named = { expect: { secureBoot: true, bootOptions: ['*'] } };

  it('may be kept from our account: a failure where the machine type speaks of it, else told', async () => {
    begin();
    await bench.faults(NODE, { bootForbidden: true });
    expect(await failed(under('compare-boot', named))).toMatchObject({
      code: 'BMC_PRIVILEGE_MISSING',
      details: { forbidden: ['secure boot', 'boot options'] },
    });
    expect(
      (await under('compare-boot', { expect: { secureBoot: undefined, bootOptions: undefined } })).summary,
    ).toContain('not permitted to read: secure boot, boot options');
  });

  it('that cannot be shown now is asked for again', async () => {
    begin();
    await bench.faults(NODE, { bootOptionsFail: 1 });
    expect(await failed(under('compare-boot', named))).toMatchObject({
      code: 'BMC_INTERNAL_ERROR',
      retryable: true,
    });
  });
});

describe('a TPM', () => {
  it('is cleared by the boot of the agent, asked for once, and what a tenant sealed is gone', async () => {
    expect(await sealed()).toEqual(['keys of the previous owner']);
    begin();
    const before = await length();
    await operation!.run('clear-tpm');
    expect(operation!.outputs.get('clear-tpm')!.data).toEqual({
      tpm: { asked: { attribute: 'Tpm2Operation', value: 'Clear' } },
    });
    // As after a crash behind the effect: nothing is written twice.
    expect((await once('clear-tpm')).summary).toContain('it was asked for before');
    expect(await writesOfBios(before)).toBe(1);
    expect(await sealed()).not.toEqual([]);
    await operation!.run('verify-tpm');
    expect(operation!.outputs.get('verify-tpm')!.summary).toContain('was taken at the reset');
    expect(await sealed()).toEqual([]);
    const events = (await bench.log(NODE)).slice(before).filter(({ event }) => event === 'tpm-cleared');
    expect(events).toHaveLength(1);
    expect(evidence('verify-tpm', 'tpm')).toMatchObject({
      tpms: ['TPM2_0'],
      bios: { Tpm2Operation: 'NoAction', TpmState: 'PresentEnabled' },
    });
    expect((await once('verify-tpm')).summary).toContain('was taken at the reset');
  });

  it('whose clear is ignored by the firmware is not taken for cleared', async () => {
    begin();
    await bench.faults(NODE, { tpmClearIgnored: 1 });
    await operation!.run('check-hardware');
    // "Not yet": the step's bound makes it the failure that people see.
    const waiting = await failed(once('verify-tpm'));
    expect(waiting).toMatchObject({ code: 'TPM_NOT_CLEARED', faultDomain: 'firmware', retryable: true });
    expect(waiting.message).toContain('Tpm2Operation = Clear still waits');
    expect(waiting.correction).toContain('`clear-tpm`');
  });

  it('whose clear is refused by the firmware is a failure at once', async () => {
    begin();
    await bench.faults(NODE, { tpmClearRefused: 1 });
    await operation!.run('check-hardware');
    expect(await failed(once('verify-tpm'))).toMatchObject({
      code: 'TPM_NOT_CLEARED',
      retryable: false,
      message: expect.stringContaining('was not applied at the reset') as string,
    });
  });

  it.each([
    ['lost', { 'patchBios.lostResponse': 1 }],
    ['late', { 'patchBios.status503RetryAfter': 1 }],
    ['a success without effect', { 'patchBios.acceptNotApply': 1 }],
  ])('is asked to clear itself though the answer is %s', async (_, faults) => {
    begin();
    await operation!.run('stop');
    await bench.faults(NODE, faults);
    await operation!.step('clear-tpm');
    const { data } = operation!.outputs.get('clear-tpm')!;
    expect((data as JsonObject)['tpm']).toEqual({ asked: { attribute: 'Tpm2Operation', value: 'Clear' } });
    expect(evidence('clear-tpm', 'tpm')).toMatchObject({ settings: { Tpm2Operation: 'Clear' } });
  });

  it('is asked through the BIOS where its settings can only be read', async () => {
    begin();
    await bench.faults(NODE, { biosTakesSettings: true });
    await operation!.step('clear-tpm');
    await operation!.run('verify-tpm');
    expect(operation!.outputs.get('verify-tpm')!.summary).toContain('was taken at the reset');
  });

  it.each([
    ['an unknown attribute', { tpmAttributeUnknown: true }, 'none of its BIOS attributes is known'],
    ['settings that cannot be written', { biosReadOnly: true }, 'no settings object'],
  ])('with %s needs `tpm: keep` of the contract to go on', async (_, faults, message) => {
    begin();
    await bench.faults(NODE, faults);
    const failure = await failed(once('clear-tpm'));
    expect(failure).toMatchObject({
      code: 'TPM_CLEAR_UNSUPPORTED',
      faultDomain: 'firmware',
      retryable: false,
    });
    expect(failure.message).toContain(message);
    expect(failure.correction).toContain('`tpm: keep`');
    const kept = await under('clear-tpm', { tpm: 'keep' });
    expect(kept).toMatchObject({
      summary: 'The contract keeps what is in a TPM.',
      data: { tpm: { asked: null } },
    });
  });

  it('that is not there is not cleared, and not verified', async () => {
    begin();
    await bench.faults(NODE, { noTpm: true });
    const before = await length();
    expect((await operation!.step('clear-tpm')).summary).toBe('The BMC shows no TPM.');
    expect((await operation!.step('verify-tpm')).summary).toBe('No TPM was to be cleared.');
    expect(await writesOfBios(before)).toBe(0);
  });
});

describe('boot variables', () => {
  it('are those of the machine type', async () => {
    begin();
    expect((await operation!.step('compare-boot')).summary).toBe(
      'Secure boot is disabled; 3 boot options told',
    );
    expect(evidence('compare-boot', 'boot-variables')).toMatchObject({
      secureBoot: false,
      order: ['Boot0001', 'Boot0002', 'Boot0003'],
      options: [{ name: 'UEFI: Hard Disk' }, { name: 'UEFI: Virtual CD' }, { reference: 'Boot0003' }],
    });
  });

  it('with an option that the tenant left, and other secure boot, are a finding', async () => {
    begin();
    await bench.faults(NODE, { foreignBootOption: true });
    const failure = await failed(under('compare-boot', { expect: { secureBoot: true } }));
    expect(failure).toMatchObject({ code: 'BOOT_MISMATCH', faultDomain: 'firmware', retryable: false });
    expect(failure.details).toEqual({
      differences: [
        'secure boot is disabled, and enabled expected',
        'boot option Boot0004 "tenant-os" is not among those of the machine type',
      ],
    });
  });

  it('of which the machine type says nothing are told', async () => {
    begin();
    const { summary } = await under('compare-boot', {
      expect: { secureBoot: undefined, bootOptions: undefined },
    });
    expect(summary).toContain('the machine type does not say');
  });
});
