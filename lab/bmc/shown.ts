import type { Server } from '../server.ts';
import type { Resource } from './services.ts';

type Bend = (server: Server, path: string, truth: Resource) => Resource;

/** A resource as the BMC shows it: the truth, unless faults bend it. */
export const shownResource = (server: Server, path: string, truth: Resource): Resource =>
  [medium, system, fields, numbers].reduce((shown, bend) => bend(server, path, shown), truth);

const medium: Bend = ({ faults, state }, path, truth) => {
  const slot = /\/VirtualMedia\/(\w+)$/.exec(path)?.[1];
  if (slot === undefined) return truth;
  const old = state.ejected[slot];
  if (truth['Inserted'] === true && faults.take('insertShowsLate'))
    return { ...truth, Inserted: false, Image: null, ImageName: null, ConnectedVia: 'NotConnected' };
  if (truth['Inserted'] === false && old && faults.take('mediaStaysAfterEject'))
    return { ...truth, Inserted: true, Image: old, ConnectedVia: 'URI' };
  return truth;
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

/** An error as the BMC shows it: its list of messages may be one message. */
export function bentError(server: Server, body: unknown): unknown {
  const error = (body as { error?: Resource } | undefined)?.error;
  const info = error?.['@Message.ExtendedInfo'];
  if (!Array.isArray(info) || !server.faults.on('errorInfoIsObject')) return body;
  return { error: { ...error, '@Message.ExtendedInfo': info[0] } };
}
