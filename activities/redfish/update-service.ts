import { fail, type RackwrightError } from '../../core/errors/failure.ts';
import type { FirmwareEntry } from '../../core/redfish/firmware.ts';
import { namedProperties } from '../../core/redfish/messages.ts';
import { asBoolean, asObject, asText, at, linkOf, textsOf, type Loose } from '../../core/redfish/read.ts';
import { readFirmwareItem } from '../../core/redfish/readers.ts';
import { messagesOf, type RedfishResponse } from './errors.ts';
import { reader } from './reader.ts';
import { readResource, tryResource, type SystemFound } from './service.ts';
import type { Bmc } from './transport.ts';

/** What a BMC says of how it is updated. */
export interface UpdateService {
  readonly uri: string;
  readonly body: Loose;
  /** Target of SimpleUpdate; null where it is not offered. */
  readonly target: string | null;
  readonly inventory: string | null;
}

const READ_MS = 40_000;
const MAX_REQUESTS = 300;
const NAMES = ['TransferProtocol', 'Targets', 'OperationApplyTime'] as const;
type Optional = (typeof NAMES)[number];

/** Reads the update service. Throws NOT_SUPPORTED where the BMC has none. */
export async function readUpdateService(bmc: Bmc, { root }: SystemFound): Promise<UpdateService> {
  const uri = linkOf(root['UpdateService']);
  if (uri === null) throw unsupported(`${bmc.origin} has no update service`);
  const { body } = await readResource(bmc, uri);
  const action = asObject(at(body, 'Actions', '#UpdateService.SimpleUpdate'));
  const disabled = asBoolean(body['ServiceEnabled']) === false;
  return {
    uri,
    body,
    target: disabled ? null : asText(action['target']),
    inventory: linkOf(body['FirmwareInventory']),
  };
}

const unsupported = (why: string): RackwrightError =>
  fail('NOT_SUPPORTED', `${why}: its firmware cannot be updated from here.`, {
    faultDomain: 'bmc',
    correction: 'Enable the update service on the BMC, or update this server with the tool of its vendor.',
  });

/** Throws NOT_SUPPORTED unless the service offers SimpleUpdate. */
export function requireSimpleUpdate(bmc: Bmc, { uri, target }: UpdateService): string {
  if (target !== null) return target;
  throw unsupported(`${bmc.origin} does not offer SimpleUpdate at ${uri}`);
}

/** The firmware inventory, and why a part of it could not be read; null where all was. */
export interface FirmwareInventory {
  readonly entries: readonly FirmwareEntry[];
  readonly unread: string | null;
}

/** Reads the firmware inventory. A BMC that gives nothing of it now throws "not now". */
export async function readInventory(bmc: Bmc, { inventory, uri }: UpdateService): Promise<FirmwareInventory> {
  if (inventory === null) throw unsupported(`${bmc.origin} names no firmware inventory at ${uri}`);
  const r = reader(bmc, MAX_REQUESTS, Date.now() + READ_MS);
  const found = await r.members('firmware', inventory);
  const [unread] = r.unread();
  if (unread !== undefined && found.length === 0) {
    throw fail('BMC_ANSWER_INVALID', `The firmware inventory cannot be read: ${unread.why}.`);
  }
  const entries = found.map(({ uri: at, body }) => {
    const { id, name, version } = readFirmwareItem(at, body);
    return { uri: at, id, name, version };
  });
  return { entries, unread: unread?.why ?? null };
}

/** What an update is asked with. */
export interface UpdateAsked {
  readonly image: string;
  /** Of the components, in the BMC's firmware inventory. */
  readonly targets: readonly string[];
  /** `OnReset`: the host is reset by us; `Immediate`: the BMC updates itself. Where the BMC lets one choose. */
  readonly applyTime: 'Immediate' | 'OnReset';
}

/**
 * Asks for an update once. Optional parameters are sent where the BMC names them, left out where it refuses
 * them, and added where it misses them: a refusal that names one was not carried out.
 */
export async function startUpdate(
  bmc: Bmc,
  service: UpdateService,
  asked: UpdateAsked,
): Promise<RedfishResponse> {
  const target = requireSimpleUpdate(bmc, service);
  const action = asObject(at(service.body, 'Actions', '#UpdateService.SimpleUpdate'));
  const info = linkOf(action['@Redfish.ActionInfo']);
  const parameters = info === null ? [] : parametersOf((await tryResource(bmc, info))?.body ?? {});
  const values: { [name in Optional]?: unknown } = {
    ...valueIf('TransferProtocol', protocolOf(bmc, action, parameters, asked.image)),
    ...valueIf('Targets', targetsOf(action, parameters, asked.targets)),
    ...valueIf('OperationApplyTime', applyTimeOf(action, asked.applyTime)),
  };
  const tried = new Set<Optional>();
  for (;;) {
    const { OperationApplyTime: applyTime, ...rest } = values;
    const body = {
      ImageURI: asked.image,
      ...rest,
      ...(applyTime === undefined ? {} : { '@Redfish.OperationApplyTime': applyTime }),
    };
    const answer = await bmc.send('POST', target, { body });
    if (answer.status < 400 || answer.status >= 500) return answer;
    const named = namedProperties(messagesOf(answer), NAMES).find((name) => !tried.has(name as Optional)) as
      Optional | undefined;
    if (named === undefined) return answer;
    tried.add(named);
    if (values[named] !== undefined) delete values[named];
    else if (named === 'TransferProtocol') values[named] = schemeOf(asked.image);
    else if (named === 'Targets') values[named] = asked.targets;
    else return answer;
  }
}

const valueIf = (name: Optional, value: unknown): { [name: string]: unknown } =>
  value === undefined ? {} : { [name]: value };

const schemeOf = (url: string): string => new URL(url).protocol.replace(':', '').toUpperCase();

const parametersOf = (info: Loose): Loose[] =>
  (Array.isArray(info['Parameters']) ? (info['Parameters'] as unknown[]) : []).map(asObject);

/** The allowable values of a parameter; undefined where the BMC does not name the parameter. */
function allowed(name: string, action: Loose, parameters: readonly Loose[]): string[] | undefined {
  const listed = action[`${name}@Redfish.AllowableValues`];
  if (listed !== undefined) return textsOf(listed);
  const described = parameters.find((each) => each['Name'] === name);
  return described === undefined ? undefined : textsOf(described['AllowableValues']);
}

/** Sent where the BMC lists protocols. Throws NOT_SUPPORTED where the one that is needed is not among them. */
function protocolOf(
  bmc: Bmc,
  action: Loose,
  parameters: readonly Loose[],
  image: string,
): string | undefined {
  const listed = allowed('TransferProtocol', action, parameters);
  if (listed === undefined || listed.length === 0) return undefined;
  const scheme = schemeOf(image);
  const value = listed.find((each) => each.toUpperCase() === scheme);
  if (value !== undefined) return value;
  throw unsupported(`${bmc.origin} fetches firmware by ${listed.slice(0, 8).join(', ')}, not by ${scheme}`);
}

function targetsOf(
  action: Loose,
  parameters: readonly Loose[],
  targets: readonly string[],
): readonly string[] | undefined {
  const listed = allowed('Targets', action, parameters);
  if (listed === undefined) return undefined;
  return listed.length === 0 || targets.every((each) => listed.includes(each)) ? targets : undefined;
}

function applyTimeOf(action: Loose, wanted: UpdateAsked['applyTime']): string | undefined {
  const listed = textsOf(at(action, '@Redfish.OperationApplyTimeSupport', 'SupportedValues'));
  if (listed.length === 0) return undefined;
  return listed.includes(wanted) ? wanted : listed.includes('Immediate') ? 'Immediate' : listed[0];
}
