import type { RedfishMessage } from './messages.ts';
import { asBoolean, asText, at, bareUri, textsOf } from './read.ts';

/** One virtual drive of a BMC, as it reads now. */
export interface MediaSlot {
  readonly uri: string;
  readonly under: 'system' | 'manager';
  readonly mediaTypes: readonly string[];
  readonly image: string | null;
  readonly imageName: string | null;
  /** Null: the BMC does not say. */
  readonly inserted: boolean | null;
  readonly connected: boolean | null;
  readonly insertTarget: string | null;
  readonly ejectTarget: string | null;
  readonly etag: string | null;
}

/** What was asked of the BMC last, and when. Plain JSON. */
export interface MediaAsked {
  readonly slot: string;
  readonly url: string;
  readonly at: number;
  readonly task: string | null;
  /** Slots that took an image and never showed it, or refused it. */
  readonly dead: readonly string[];
}

/** Reads one member of a VirtualMedia collection. */
export function readSlot(
  uri: string,
  under: MediaSlot['under'],
  body: unknown,
  etag: string | null,
): MediaSlot {
  const connectedVia = asText(at(body, 'ConnectedVia'))?.toLowerCase();
  return {
    uri,
    under,
    mediaTypes: textsOf(at(body, 'MediaTypes')),
    image: asText(at(body, 'Image')),
    imageName: asText(at(body, 'ImageName')),
    inserted: asBoolean(at(body, 'Inserted')),
    connected: connectedVia === undefined ? null : connectedVia !== 'notconnected',
    insertTarget: asText(at(body, 'Actions', '#VirtualMedia.InsertMedia', 'target')),
    ejectTarget: asText(at(body, 'Actions', '#VirtualMedia.EjectMedia', 'target')),
    etag: etag ?? asText(at(body, '@odata.etag')),
  };
}

/**
 * Whether something is in the drive, by all signals: an old URL or `Inserted: true` may stay after an
 * eject, and some BMCs never send `Inserted`.
 */
export function isOccupied(slot: MediaSlot): boolean {
  if (slot.inserted === false) return false;
  if (slot.connected === false) return false;
  if (slot.inserted === true)
    return slot.image !== null || slot.imageName !== null || slot.connected === true;
  return slot.image !== null;
}

const plain = (url: string): string => {
  try {
    return decodeURI(new URL(url).href);
  } catch {
    return url;
  }
};

/** Whether the drive shows this URL, inserted or not. */
export const showsUrl = (slot: MediaSlot, url: string): boolean =>
  slot.image !== null && plain(slot.image) === plain(url);

/** Whether the drive holds this image now. A drive that shows no URL is believed by its file name if it says "inserted". */
export function holds(slot: MediaSlot, url: string): boolean {
  if (!isOccupied(slot)) return false;
  if (slot.image !== null) return showsUrl(slot, url);
  return slot.inserted === true && slot.imageName === fileName(url);
}

/** What makes an image ours: how its URL begins; for a drive that shows no URL, its file name. */
export interface Ours {
  readonly prefixes: readonly string[];
  readonly names: readonly string[];
}

/** Whether the image in the drive is one of ours: by how its URL begins; where none is shown, by its file name. */
export const isOurs = (
  slot: MediaSlot,
  prefixes: readonly string[],
  names: readonly string[] = [],
): boolean =>
  slot.image === null
    ? slot.imageName !== null && names.includes(slot.imageName)
    : prefixes.some((prefix) => plain(slot.image!).startsWith(plain(prefix)));

function lastPart(uri: string): string {
  const path = bareUri(uri);
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether the drive takes a CD image; one that names no type is judged by its path. */
export const takesCd = (slot: MediaSlot): boolean =>
  slot.mediaTypes.length === 0
    ? /cd|dvd/i.test(lastPart(slot.uri))
    : slot.mediaTypes.some((type) => /^(cd|dvd)/i.test(type));

/** The drives that an image could go into, best first. Drives without an action count only where none has one. */
export function insertCandidates(
  slots: readonly MediaSlot[],
  url: string,
  ours: Ours,
  dead: readonly string[],
): MediaSlot[] {
  const cds = slots.filter((slot) => takesCd(slot) && !dead.includes(slot.uri));
  const withAction = slots.some((slot) => takesCd(slot) && slot.insertTarget !== null);
  const usable = cds.filter((slot) => !withAction || slot.insertTarget !== null);
  const rank = (slot: MediaSlot): number =>
    (showsUrl(slot, url) ? 0 : isOccupied(slot) ? 4 : 1) +
    (slot.mediaTypes.some((t) => /^cd$/i.test(t)) ? 0 : 1);
  return usable
    .filter((slot) => !isOccupied(slot) || showsUrl(slot, url) || isOurs(slot, ours.prefixes, ours.names))
    .map((slot, i) => ({ slot, i }))
    .sort((a, b) => rank(a.slot) - rank(b.slot) || a.i - b.i)
    .map(({ slot }) => slot);
}

/** The last part of a URL's path. */
export function fileName(url: string): string {
  const end = url.search(/[?#]/);
  return lastPart(end < 0 ? url : url.slice(0, end));
}

/** An image URL for people: origin and file name only. Paths and queries may carry tokens. */
export function shownUrl(url: string): string {
  try {
    const { protocol, host } = new URL(url);
    return `${protocol}//${host}/…/${fileName(url)}`;
  } catch {
    return fileName(url);
  }
}

/** What an insert may be asked to carry beside `Image`, by name. */
export const INSERT_PARAMETERS = [
  'TransferProtocolType',
  'TransferMethod',
  'UserName',
  'Password',
  'Inserted',
  'WriteProtected',
] as const;
export type InsertParameter = (typeof INSERT_PARAMETERS)[number];

/** The body of an insert: `Image`, and no more than what was asked for. Some BMCs want credentials, even dummies. */
export function insertBody(
  url: string,
  parameters: readonly InsertParameter[],
  credentials: { readonly username: string; readonly password: string } | undefined,
): { [key: string]: string | boolean } {
  const values = {
    TransferProtocolType: url.slice(0, Math.max(0, url.indexOf(':'))).toUpperCase(),
    TransferMethod: 'Stream',
    UserName: credentials?.username ?? 'none',
    Password: credentials?.password ?? 'none',
    Inserted: true,
    WriteProtected: true,
  } as const;
  const wanted = new Set<InsertParameter>(parameters);
  if (credentials !== undefined || wanted.has('UserName') || wanted.has('Password')) {
    wanted.add('UserName').add('Password');
  }
  return {
    Image: url,
    ...Object.fromEntries(INSERT_PARAMETERS.filter((p) => wanted.has(p)).map((p) => [p, values[p]])),
  };
}

const NOT_FETCHED =
  /(fail\w*|unable|could not|cannot|can't|error)\b.{0,40}\b(fetch|download|retriev|access|connect|mount|locat|reach)\w*/i;
const OF_AN_IMAGE = /\b(image|iso|file|share|url|remote|server|https?)\b/i;
const KNOWN_IDS = /\bRAC0904\b/;

/** Whether messages say that the BMC could not fetch the image: then it is the publisher's, or the way to it. */
export const saysNotFetched = (messages: readonly RedfishMessage[]): boolean =>
  messages.some(
    (m) =>
      KNOWN_IDS.test(m.id ?? '') || (m.text !== null && NOT_FETCHED.test(m.text) && OF_AN_IMAGE.test(m.text)),
  );
