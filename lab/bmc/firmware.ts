import type { Server } from '../server.ts';
import type { BootEntry } from '../agent/options.ts';
import { TPM_ATTRIBUTE, type ServerState } from '../state.ts';
import { BIOS_REGISTRY, registryTree } from './bios-registry.ts';
import { message } from './messages.ts';
import { collection, link, OK, resource, type Resource, type Tree } from './services.ts';

/** What the firmware would boot: its own options, and before them what systems on the disks have put there. */
const bootOptions = ({
  hardware,
  faults,
  state,
}: Server): { id: string; name: string; alias: string; path?: string }[] => [
  ...(faults.on('foreignBootOption') ? [{ id: 'Boot0004', name: 'tenant-os', alias: 'UefiHttp' }] : []),
  ...shownEntries(state, faults.on('bootOptionsOfLastPost')).map(({ id, label, path }) => ({
    id,
    name: label,
    alias: 'Hdd',
    path,
  })),
  { id: 'Boot0001', name: 'UEFI: Hard Disk', alias: 'Hdd' },
  { id: 'Boot0002', name: 'UEFI: Virtual CD', alias: 'Cd' },
  { id: 'Boot0003', name: `UEFI: PXE IPv4 ${hardware.nics[0]?.mac ?? ''}`, alias: 'Pxe' },
];

const shownEntries = (
  { bootEntries, bootEntriesAtPost }: ServerState,
  atPost: boolean,
): readonly BootEntry[] => (atPost ? (bootEntriesAtPost ?? bootEntries) : bootEntries);

export const bootOrder = (server: Server): string[] => bootOptions(server).map(({ id }) => id);

export const trustedModules = ({ faults }: Server): Resource[] =>
  faults.on('noTpm')
    ? [{ Status: { State: 'Absent' } }]
    : [{ InterfaceType: 'TPM2_0', FirmwareVersion: '7.2.2.0', Status: OK }];

/** BIOS and its settings, secure boot, boot options. */
export function firmwareTree(server: Server, system: string): Tree {
  const { state } = server;
  const path = `${system}/BootOptions`;
  return {
    ...registryTree(state.bios),
    [`${system}/Bios`]: () => bios(server, `${system}/Bios`),
    [`${system}/Bios/Settings`]: () =>
      resource(`${system}/Bios/Settings`, 'Bios.v1_2_0.Bios', 'BIOS Configuration, pending', {
        AttributeRegistry: BIOS_REGISTRY,
        Attributes: shownAttributes(server, { ...state.bios, ...state.pendingBios }),
      }),
    [`${system}/SecureBoot`]: () =>
      resource(`${system}/SecureBoot`, 'SecureBoot.v1_1_0.SecureBoot', 'UEFI Secure Boot', {
        SecureBootEnable: state.secureBoot,
        SecureBootCurrentBoot: state.secureBoot ? 'Enabled' : 'Disabled',
        SecureBootMode: 'UserMode',
      }),
    [path]: () => collection(path, 'BootOption', bootOrder(server)),
    ...Object.fromEntries(
      bootOptions(server).map(({ id, name, alias, path: device }) => [
        `${path}/${id}`,
        () =>
          resource(`${path}/${id}`, 'BootOption.v1_0_4.BootOption', 'Boot Option', {
            BootOptionReference: id,
            DisplayName: name,
            BootOptionEnabled: true,
            Alias: alias,
            ...(device === undefined ? {} : { UefiDevicePath: device }),
          }),
      ]),
    ),
  };
}

function bios(server: Server, uri: string): Resource {
  const { state, faults } = server;
  return resource(uri, 'Bios.v1_2_0.Bios', 'BIOS Configuration', {
    AttributeRegistry: BIOS_REGISTRY,
    Attributes: shownAttributes(server, state.bios),
    '@Redfish.Settings': {
      '@odata.type': '#Settings.v1_3_5.Settings',
      ...(faults.on('biosReadOnly') ? {} : { SettingsObject: link(`${uri}/Settings`) }),
      ...(faults.on('biosNeedsJob') ? {} : { SupportedApplyTimes: ['OnReset'] }),
      Messages: state.refusedBios.map((name) => ({
        ...message('SettingNotApplied', [name]),
        RelatedProperties: [`#/Attributes/${name}`],
      })),
    },
  });
}

function shownAttributes({ faults }: Server, attributes: Resource): Resource {
  const { [TPM_ATTRIBUTE]: operation, ...rest } = attributes;
  const shown = { ...rest, PowerOnPin: null };
  return faults.on('tpmAttributeUnknown') ? shown : { ...shown, [TPM_ATTRIBUTE]: operation };
}
