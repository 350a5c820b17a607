import { expect, it } from 'vitest';
import { findSystem } from '../../../activities/redfish/service.ts';
import { tpmsShown } from '../../../activities/redfish/trusted-components.ts';
import { failureOf, opened } from './fixtures.ts';
import { SYSTEM, type ScriptedBmc } from './scripted-bmc.ts';

const CHASSIS = '/redfish/v1/Chassis/1';
const COMPONENTS = `${CHASSIS}/TrustedComponents`;
const TPM = `${COMPONENTS}/TPM`;
const link = (uri: string) => ({ '@odata.id': uri });

/** A BMC that shows its TPM as a trusted component of the chassis only. */
async function shown(change: (server: ScriptedBmc) => void = () => undefined): Promise<string[]> {
  const { server, bmc } = await opened();
  server.patch(SYSTEM, { Links: { Chassis: [link(CHASSIS)], ManagedBy: [link('/redfish/v1/Managers/1')] } });
  server.put(CHASSIS, { TrustedComponents: link(COMPONENTS) });
  server.collect(COMPONENTS, [TPM, `${COMPONENTS}/RoT`]);
  server.put(TPM, { Id: 'TPM', Status: { State: 'Enabled' } });
  server.put(`${COMPONENTS}/RoT`, { Id: 'RoT', Name: 'Root of trust' });
  change(server);
  try {
    return await tpmsShown(bmc, await findSystem(bmc));
  } finally {
    bmc.close();
  }
}

it('finds a TPM among the trusted components of the chassis', async () => {
  expect(await shown()).toEqual(['TPM']);
});

it('takes the one that the system shows itself, or links, and looks no further', async () => {
  const module = { InterfaceType: 'TPM2_0', Status: { State: 'Enabled' } };
  expect(await shown((server) => server.patch(SYSTEM, { TrustedModules: [module] }))).toEqual(['TPM2_0']);
  const linked = { Links: { TrustedComponents: [link(`${COMPONENTS}/RoT`)], Chassis: [link(CHASSIS)] } };
  expect(await shown((server) => server.patch(SYSTEM, linked))).toEqual([]);
});

it('finds none where none is in use, or nothing is shown', async () => {
  expect(await shown((server) => server.put(TPM, { Id: 'TPM', Status: { State: 'Disabled' } }))).toEqual([]);
  expect(await shown((server) => server.put(CHASSIS, {}))).toEqual([]);
  expect(await shown((server) => server.on('GET', COMPONENTS, () => ({ status: 404, body: {} })))).toEqual(
    [],
  );
});

it.each([CHASSIS, COMPONENTS, TPM])(
  'does not take %s that cannot be read now for one without a TPM',
  async (uri) => {
    const failing = shown((server) => server.on('GET', uri, () => ({ status: 500, body: {} })));
    expect(await failureOf(failing)).toMatchObject({ faultDomain: 'bmc', retryable: true });
  },
);
