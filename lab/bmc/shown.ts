import type { Server } from '../server.ts';
import { link, type Resource } from './services.ts';

type Bend = (server: Server, path: string, truth: Resource) => Resource;

/** A resource as the BMC shows it: the truth, unless faults bend it. */
export const shownResource = (server: Server, path: string, truth: Resource): Resource =>
  [medium, system, power, boot, resets, firmware, bios, jobs, fields, numbers].reduce(
    (shown, bend) => bend(server, path, shown),
    truth,
  );

const medium: Bend = ({ faults, state }, path, truth) => {
  const slot = /\/VirtualMedia\/(\w+)$/.exec(path)?.[1];
  if (slot === undefined) return truth;
  const old = state.ejected[slot];
  if (truth['Inserted'] === true && faults.take('insertShowsLate'))
    return { ...truth, Inserted: false, Image: null, ImageName: null, ConnectedVia: 'NotConnected' };
  if (truth['Inserted'] === false && old && faults.take('mediaStaysAfterEject'))
    return { ...truth, Inserted: true, Image: old, ConnectedVia: 'URI' };
  if (truth['Inserted'] === false && old && faults.on('mediaUrlStays')) return { ...truth, Image: old };
  if (truth['Inserted'] === false && old && faults.on('mediaLooksInserted'))
    return { ...truth, Inserted: true, Image: old };
  return truth;
};

const power: Bend = ({ state }, path, truth) => {
  if (!path.endsWith('/Systems/1') || state.faults['powerShowsOpposite'] === undefined) return truth;
  const other = { On: 'Off', Off: 'On' }[String(truth['PowerState'])];
  return other === undefined ? truth : { ...truth, PowerState: other };
};

const boot: Bend = ({ faults }, path, truth) => {
  const shown = truth['Boot'] as Resource | undefined;
  if (!/\/Systems\/1(\/Settings)?$/.test(path) || shown?.['BootSourceOverrideTarget'] === undefined)
    return truth;
  const enabled = faults.on('bootContinuousOnly')
    ? { 'BootSourceOverrideEnabled@Redfish.AllowableValues': ['Disabled', 'Continuous'] }
    : {};
  if (!faults.on('bootHidesMode')) return { ...truth, Boot: { ...shown, ...enabled } };
  const kept = Object.entries(shown).filter(([name]) => !name.startsWith('BootSourceOverrideMode'));
  return { ...truth, Boot: { ...Object.fromEntries(kept), ...enabled } };
};

/** After a reset that changed settings: as they are, then as they were, then as they are. */
const bios: Bend = (server, path, truth) => {
  const { biosBefore } = server.state;
  if (!path.endsWith('/Systems/1/Bios') || Object.keys(biosBefore).length === 0) return truth;
  if (server.faults.values()['biosFlips'] === undefined) return truth;
  const seen = 'seen' in biosBefore;
  if (!seen) {
    server.change({ biosBefore: { ...biosBefore, seen: true } });
    return truth;
  }
  const { seen: _seen, ...before } = biosBefore;
  server.faults.take('biosFlips');
  return { ...truth, Attributes: { ...(truth['Attributes'] as Resource), ...before } };
};

const jobs: Bend = ({ faults }, path, truth) =>
  path.endsWith('/Managers/1') && (faults.on('biosNeedsJob') || faults.on('biosJobOnPatch'))
    ? { ...truth, Links: { ...(truth['Links'] as Resource), Oem: { Lab: { Jobs: link(`${path}/Jobs`) } } } }
    : truth;

const resets: Bend = ({ faults }, path, truth) => {
  if (!path.endsWith('/Systems/1') || !faults.on('resetValuesLack')) return truth;
  const { target } = (truth['Actions'] as Record<string, Resource>)['#ComputerSystem.Reset']!;
  const values = ['GracefulShutdown', 'ForceRestart'];
  return {
    ...truth,
    Actions: { '#ComputerSystem.Reset': { target, 'ResetType@Redfish.AllowableValues': values } },
  };
};

const system: Bend = (server, path, truth) => {
  if (!path.endsWith('/Systems/1') || server.state.override.enabled !== 'Once') return truth;
  if (server.faults.take('overrideFlips')) {
    server.setOverride({ enabled: 'Disabled' });
    return truth;
  }
  if (!server.faults.take('onceShowsContinuous')) return truth;
  return { ...truth, Boot: { ...(truth['Boot'] as Resource), BootSourceOverrideEnabled: 'Continuous' } };
};

/** The first of these reads is right, the others are not. */
const FLIPPED_READS = 6;

const firmware: Bend = (server, path, truth) => {
  const flip = server.state.biosFlip;
  if (!path.endsWith('/FirmwareInventory/BIOS') || flip === null) return truth;
  const reads = flip.reads + 1;
  server.change({ biosFlip: reads < FLIPPED_READS ? { ...flip, reads } : null });
  return reads === 1 ? truth : { ...truth, Version: flip.old };
};

const fields: Bend = ({ faults, hardware }, path, truth) => {
  if (path.endsWith(`/EthernetInterfaces/${hardware.nics[0]?.name}`) && faults.take('nicWithoutMac'))
    return { ...truth, MACAddress: '', PermanentMACAddress: null };
  const isOne = /\/(Systems|Chassis|Managers)\/1$/.test(path);
  if (!isOne || !faults.on('fieldsMissing')) return truth;
  const { Links: _links, ChassisType: _type, SystemType: _system, ManagerType: _manager, ...rest } = truth;
  return rest;
};

const numbers: Bend = ({ faults }, path, truth) => {
  if (!/\/(Systems\/1|Drives\/\w+|Memory\/\w+|Processors\/\w+)$/.test(path)) return truth;
  return faults.on('numbersAreText') ? (withoutNumbers(truth) as Resource) : truth;
};

function withoutNumbers(value: unknown): unknown {
  if (typeof value === 'number') return 'N/A';
  if (Array.isArray(value)) return value.map(withoutNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutNumbers(inner)]));
}

/** An error as the BMC shows it: its list of messages may be one message, its code may be missing. */
export function bentError(server: Server, body: unknown): unknown {
  const error = (body as { error?: Resource } | undefined)?.error;
  const info = error?.['@Message.ExtendedInfo'];
  if (!Array.isArray(info)) return body;
  const asObject = server.faults.on('errorInfoIsObject');
  const { code, ...rest } = { ...error, '@Message.ExtendedInfo': asObject ? info[0] : info } as Resource;
  return { error: server.faults.on('errorWithoutCode') ? rest : { code, ...rest } };
}
