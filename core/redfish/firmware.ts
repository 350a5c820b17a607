import { compareVersions } from './quirks.ts';

export type FirmwareKind = 'bmc' | 'bios' | 'nic' | 'other';

/** One component as the BMC's firmware inventory shows it. */
export interface FirmwareEntry {
  readonly uri: string;
  readonly id: string;
  readonly name: string | null;
  readonly version: string | null;
}

/** What a baseline wants of a component. */
export interface FirmwareWanted {
  readonly component: string;
  readonly kind?: FirmwareKind | undefined;
  readonly version: string;
  readonly order?: number | undefined;
}

/** How the entries of a component stand to what is wanted of it. */
export interface FirmwareStanding {
  readonly kind: FirmwareKind;
  readonly entries: readonly FirmwareEntry[];
  /** Those that have another version. */
  readonly differing: readonly FirmwareEntry[];
}

const plain = (text: string): string => text.trim().replace(/\s+/g, ' ');

/** Whether two versions are the same: as texts, but for white space. Newer is not the same. */
export const sameVersion = (a: string | null, b: string | null): boolean =>
  a !== null && b !== null && plain(a) === plain(b);

/** Kinds by what components are called. The first that fits; nothing that fits none is guessed at. */
const KINDS: readonly (readonly [FirmwareKind, RegExp])[] = [
  ['bios', /\b(bios|uefi|system ?rom)\b/i],
  // The firmware of the management controller, not that of a network controller.
  ['bmc', /\b(bmc|idrac|ilo|xcc|imm2?|cimc|openbmc|remote access controller|management controller)\b/i],
  [
    'nic',
    /\b(nic|ethernet|infiniband|connectx|bluefield|mellanox|netxtreme|network|cx[4-8]|x?710|e810)(\b|(?=[-_ \d]))/i,
  ],
];

/** What a component is: as the contract says, or by its name or id. */
export function kindOf(
  given: FirmwareKind | undefined,
  entry: Pick<FirmwareEntry, 'id' | 'name'>,
): FirmwareKind {
  if (given !== undefined) return given;
  // An underscore is a letter to \b, and a space to people.
  const texts = [entry.name ?? '', entry.id].map((text) => text.replaceAll('_', ' '));
  return KINDS.find(([, pattern]) => texts.some((text) => pattern.test(text)))?.[0] ?? 'other';
}

/** Slots with versions that are not the running one: of an inventory that lists these, too. */
const NOT_RUNNING = /^(previous|available)-/i;

/** The entries that a component of the contract names, by name or id; `*` stands for any text. */
export function matching(component: string, entries: readonly FirmwareEntry[]): FirmwareEntry[] {
  const wanted = plain(component).toLowerCase();
  const pattern = new RegExp(
    `^${wanted
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );
  const fits = (text: string | null): boolean => text !== null && pattern.test(plain(text).toLowerCase());
  const byId = entries.filter(({ id }) => plain(id).toLowerCase() === wanted);
  if (byId.length > 0) return byId;
  return entries.filter(({ id, name }) => !NOT_RUNNING.test(id) && (fits(id) || fits(name)));
}

/** How the inventory stands to what is wanted of one component; undefined if it has no such component. */
export function standingOf(
  wanted: FirmwareWanted,
  entries: readonly FirmwareEntry[],
): FirmwareStanding | undefined {
  const found = matching(wanted.component, entries);
  if (found.length === 0) return undefined;
  return {
    kind: kindOf(wanted.kind, found[0]!),
    entries: found,
    differing: found.filter(({ version }) => !sameVersion(version, wanted.version)),
  };
}

/** In the order of the contract: by `order`, the lowest first; those without come last, as they stand. */
export const inOrder = <T extends FirmwareWanted>(components: readonly T[]): T[] =>
  components
    .map((each, at) => ({ each, at, order: each.order ?? Number.POSITIVE_INFINITY }))
    .sort((a, b) => (a.order === b.order ? a.at - b.at : a.order - b.order))
    .map(({ each }) => each);

/** A change of version in words; a downgrade is called one. */
export function shownChange(from: string | null, to: string): string {
  if (from === null) return `not told → ${to}`;
  return `${from} → ${to}${compareVersions(from, to) > 0 ? ' (a downgrade)' : ''}`;
}
