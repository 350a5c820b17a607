import type { ErrorCode } from '../../core/errors/catalogue.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import {
  asksTheManager,
  quirksFor,
  type QuirkFlags,
  type RedfishIdentity,
} from '../../core/redfish/quirks.ts';
import { asObject, asText, at, linkOf, linksOf, sameUri, type Loose } from '../../core/redfish/read.ts';
import { codeOf, refusal } from './errors.ts';
import type { Bmc } from './transport.ts';

/** A resource with where it is and its ETag. */
export interface Resource {
  readonly uri: string;
  readonly body: Loose;
  readonly etag: string | null;
}

/** The one system of the node, and what is known about who made it. */
export interface SystemFound extends Resource {
  readonly root: Loose;
  readonly identity: RedfishIdentity;
  readonly quirks: QuirkFlags;
  /** Rows of the field reports whose answers apply. */
  readonly reports: readonly string[];
}

const MAX_PAGES = 32;
const MAX_MEMBERS = 512;
/** An update of the firmware may change what the manager says of itself. */
const MANAGER_MS = 600_000;

/** Reads a resource; throws unless it is there. */
export async function readResource(bmc: Bmc, uri: string): Promise<Resource> {
  const answer = await bmc.get(uri);
  const body = asObject(answer.body);
  return { uri, body, etag: answer.headers.etag ?? asText(body['@odata.etag']) };
}

/** Reads a resource; null only where the BMC says that there is none. What cannot be read now throws. */
export async function readIfThere(bmc: Bmc, uri: string): Promise<Resource | null> {
  try {
    return await readResource(bmc, uri);
  } catch (error) {
    if (error instanceof RackwrightError && error.failure.code === 'BMC_NOT_FOUND') return null;
    throw error;
  }
}

/** Answers that are not about the one resource, but about the BMC or the account. */
const ABOUT_THE_BMC = new Set<ErrorCode>([
  'BMC_AUTH_FAILED',
  'BMC_PASSWORD_CHANGE_REQUIRED',
  'BMC_SESSION_LIMIT',
  'BMC_BUSY',
]);

/** Reads a resource; null if the BMC does not have it or cannot give it. What is about the whole BMC throws. */
export async function tryResource(bmc: Bmc, uri: string): Promise<Resource | null> {
  const answer = await bmc.send('GET', uri);
  if (answer.status < 200 || answer.status >= 300) {
    if (ABOUT_THE_BMC.has(codeOf(answer))) throw refusal(answer, `Reading ${uri}`);
    return null;
  }
  if (typeof answer.body !== 'object' || answer.body === null) return null;
  const body = asObject(answer.body);
  return { uri, body, etag: answer.headers.etag ?? asText(body['@odata.etag']) };
}

/** The links of a collection, over its pages, each once. A page that repeats, or is missing, ends it. */
export async function collectionLinks(bmc: Bmc, uri: string, max = MAX_MEMBERS): Promise<string[]> {
  const found = new Set<string>();
  const seen = new Set<string>();
  let next: string | null = uri;
  while (next !== null && seen.size < MAX_PAGES && !seen.has(next) && found.size < max) {
    seen.add(next);
    const page: Resource | null = await tryResource(bmc, next);
    if (page === null) break;
    for (const link of linksOf(page.body['Members'])) if (found.size < max) found.add(link);
    next = linkOf(page.body['Members@odata.nextLink'] ?? page.body['@odata.nextLink']);
  }
  return [...found];
}

/** A bad member's errors; two lost connections in a row are about the BMC. */
const aboutMember = (error: unknown, lost: number): boolean =>
  error instanceof RackwrightError &&
  (error.failure.code === 'BMC_ANSWER_INVALID' ||
    error.failure.code === 'BMC_FOREIGN_ORIGIN' ||
    (error.failure.code === 'BMC_CONNECTION_LOST' && lost < 2));

/** The members of a collection. A member that cannot be read is left out, and never sinks the rest. */
export async function collectionMembers(bmc: Bmc, uri: string, max = MAX_MEMBERS): Promise<Resource[]> {
  const members: Resource[] = [];
  let lost = 0;
  for (const link of await collectionLinks(bmc, uri, max)) {
    try {
      const member = await tryResource(bmc, link);
      if (member !== null) members.push(member);
      lost = 0;
    } catch (error) {
      lost += 1;
      if (!aboutMember(error, lost)) throw error;
    }
  }
  return members;
}

/** Links and maker change with a BMC's firmware at most: what was read by one step holds for the next ones. */
const ROOT_MS = 300_000;

/** The service root, lenient about its links; as it was read a while ago, or anew. */
async function readRoot(bmc: Bmc): Promise<Loose> {
  const known = bmc.memory.root;
  if (known !== null && Date.now() - known.at < ROOT_MS) return known.body;
  const { body } = await readResource(bmc, '/redfish/v1/');
  if (
    body['RedfishVersion'] === undefined &&
    linkOf(body['Systems']) === null &&
    linkOf(body['Managers']) === null
  ) {
    throw fail(
      'BMC_ANSWER_INVALID',
      `${bmc.origin}/redfish/v1/ is not the service root of a Redfish service.`,
    );
  }
  bmc.memory.root = { body, at: Date.now() };
  return body;
}

/**
 * Finds the system of the node: the given one, or the only one. The given one may be a path, or the Id,
 * UUID or name of a system; a Manager's or a Chassis' path is an error that says so.
 */
export async function findSystem(bmc: Bmc, given?: string): Promise<SystemFound> {
  const root = await readRoot(bmc);
  const systems = linkOf(root['Systems']) ?? '/redfish/v1/Systems';
  const uri = await systemUri(bmc, systems, given);
  const answer = await readResource(bmc, uri).catch((error: unknown) => {
    if (!(error instanceof RackwrightError) || error.failure.code !== 'BMC_NOT_FOUND') throw error;
    throw fail('BMC_NO_SYSTEM', `${bmc.origin} has no system ${uri}.`, { details: { uri } });
  });
  const type = asText(answer.body['@odata.type']) ?? '';
  if (type !== '' && !/ComputerSystem/i.test(type)) {
    throw fail('BMC_NO_SYSTEM', `${uri} is a ${type.replace(/^#/, '').split('.')[0]}, not a system.`, {
      details: { uri, type },
    });
  }
  const identity = await identityOf(bmc, { root, uri, body: answer.body });
  const { flags, reports } = quirksFor(identity);
  return { ...answer, root, identity, quirks: flags, reports };
}

async function systemUri(bmc: Bmc, systems: string, given: string | undefined): Promise<string> {
  if (given !== undefined && given.startsWith('/')) {
    if (/\/(Managers|Chassis)\//i.test(given)) {
      throw fail(
        'BMC_NO_SYSTEM',
        `\`bmc.system\` is ${given}, which is no system; systems are under ${systems}.`,
        {
          details: { uri: given },
        },
      );
    }
    return given;
  }
  const links = await collectionLinks(bmc, systems);
  if (given !== undefined) {
    const named = links.find((link) => sameUri(link, `${systems.replace(/\/+$/, '')}/${given}`));
    if (named !== undefined) return named;
    const members = await collectionMembers(bmc, systems, 64);
    for (const key of ['Id', 'UUID', 'SerialNumber', 'Name']) {
      const fitting = members.filter((each) => asText(each.body[key])?.toLowerCase() === given.toLowerCase());
      if (fitting.length === 1) return fitting[0]!.uri;
      if (fitting.length > 1) {
        const uris = fitting.slice(0, 16).map(({ uri }) => uri);
        throw fail(
          'BMC_AMBIGUOUS_SYSTEM',
          `${bmc.origin} has ${fitting.length} systems whose ${key} is ${given}: ${uris.join(', ')}.`,
          { details: { systems: uris } },
        );
      }
    }
  }
  if (links.length === 1 && given === undefined) return links[0]!;
  const listed = links.slice(0, 16);
  const list = `${listed.join(', ')}${links.length > listed.length ? `, and ${links.length - listed.length} more` : ''}`;
  if (links.length === 0) {
    // A collection that cannot be read now is another failure than one that is empty, or is not there.
    await readIfThere(bmc, systems);
    throw fail('BMC_NO_SYSTEM', `${bmc.origin} lists no system under ${systems}.`);
  }
  if (given !== undefined) {
    throw fail('BMC_NO_SYSTEM', `${bmc.origin} has no system ${given}; it has ${list}.`, {
      details: { systems: listed },
    });
  }
  throw fail('BMC_AMBIGUOUS_SYSTEM', `${bmc.origin} has ${links.length} systems: ${list}.`, {
    details: { systems: listed },
  });
}

/**
 * Who made it: the root's Vendor, then the system's Manufacturer, then whose extensions the root has. The
 * manager is read only where a quirk of that vendor asks for it, and not again for a while.
 */
async function identityOf(
  bmc: Bmc,
  found: Pick<SystemFound, 'root' | 'uri' | 'body'>,
): Promise<RedfishIdentity> {
  const { root, body } = found;
  const oem = Object.keys(asObject(root['Oem'])).find((key) => !key.includes('@'));
  const vendor = asText(root['Vendor']) ?? asText(body['Manufacturer']) ?? oem ?? null;
  const product = asText(body['Model']) ?? asText(root['Product']);
  const told = { vendor, product, manager: null, firmware: asText(root['FirmwareVersion']) };
  if (!asksTheManager(vendor)) return told;
  const { memory } = bmc;
  if (memory.manager === undefined || Date.now() - memory.manager.at > MANAGER_MS) {
    const manager = await managerOf(bmc, found);
    if (manager === null) return told;
    const { Model, FirmwareVersion } = manager;
    memory.manager = { at: Date.now(), model: asText(Model), firmware: asText(FirmwareVersion) };
  }
  const { model, firmware } = memory.manager;
  return { ...told, manager: model, firmware: firmware ?? told.firmware };
}

/** The manager of a system; null where it cannot be read: knowing it only saves a refused request. */
async function managerOf(bmc: Bmc, found: Pick<SystemFound, 'root' | 'uri' | 'body'>): Promise<Loose | null> {
  try {
    const [uri] = await managersOf(bmc, found);
    return uri === undefined ? null : ((await tryResource(bmc, uri))?.body ?? null);
  } catch (error) {
    if (error instanceof RackwrightError) return null;
    throw error;
  }
}

/** Of the managers of a service, those of one system: those that name it, else those that name none. */
export function managing(system: string, managers: readonly Resource[]): Resource[] {
  const servers = (manager: Resource): string[] => linksOf(at(manager.body, 'Links', 'ManagerForServers'));
  const naming = managers.filter((manager) => servers(manager).some((uri) => sameUri(uri, system)));
  return naming.length > 0 ? naming : managers.filter((manager) => servers(manager).length === 0);
}

/** The managers of a system: those that it names, else those that name it, else those that name none. */
export async function managersOf(
  bmc: Bmc,
  system: Pick<SystemFound, 'root' | 'uri' | 'body'>,
): Promise<string[]> {
  const named = linksOf(at(system.body, 'Links', 'ManagedBy'));
  if (named.length > 0) return named;
  const members = await collectionMembers(bmc, linkOf(system.root['Managers']) ?? '/redfish/v1/Managers', 8);
  return managing(system.uri, members).map((manager) => manager.uri);
}
