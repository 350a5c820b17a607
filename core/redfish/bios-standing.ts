import type { BiosSettings } from '../service-work.ts';
import type { BiosType } from './bios-registry.ts';
import { sameValue, shownValue, type BiosShown } from './bios-values.ts';
import { namedProperties, readMessage, type RedfishMessage } from './messages.ts';
import { asList, asObject, at } from './read.ts';

/** Where settings stand: what reads as asked, what waits for a reset, and what was not asked for yet. */
export interface BiosStanding {
  readonly applied: readonly string[];
  readonly waiting: readonly string[];
  readonly missing: readonly string[];
  /** Attributes that somebody else has asked for, and that wait too. */
  readonly foreign: readonly string[];
  /** What the firmware said of those that it did not take, by attribute. */
  readonly refused: { readonly [attribute: string]: string };
  /** What the BIOS has now, by attribute that was asked for. */
  readonly values: { readonly [attribute: string]: BiosShown };
}

type Types = { readonly [attribute: string]: BiosType | null };

/**
 * Reads where settings stand from the BIOS and its settings object. Some settings objects show every
 * attribute, some only those that wait: what differs from the BIOS waits. A setting that reads as asked, and
 * over which another value waits, is missing: the next reset would undo it.
 */
export function biosStanding(
  bios: unknown,
  settings: unknown,
  wanted: BiosSettings,
  types: Types = {},
): BiosStanding {
  const now = asObject(at(bios, 'Attributes'));
  const next = asObject(at(settings, 'Attributes'));
  const waits = (name: string): boolean =>
    Object.hasOwn(next, name) &&
    shownValue(next[name]) !== null &&
    !sameValue(next[name], now[name], types[name] ?? null);
  const applied: string[] = [];
  const waiting: string[] = [];
  const missing: string[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const type = types[name] ?? null;
    if (waits(name)) (sameValue(next[name], value, type) ? waiting : missing).push(name);
    else (sameValue(now[name], value, type) ? applied : missing).push(name);
  }
  const names = Object.keys(wanted);
  return {
    applied,
    waiting,
    missing,
    foreign: Object.keys(next).filter(
      (name) => !Object.hasOwn(wanted, name) && shownValue(now[name]) !== null && waits(name),
    ),
    refused: refusedSettings(bios, names),
    values: Object.fromEntries(names.map((name) => [name, shownValue(now[name])])),
  };
}

const REFUSED = /fail|refus|reject|error|not(applied|supported|writable)|unable/i;

/** What the firmware says of settings that it did not take at the last reset, by attribute. */
export function refusedSettings(
  bios: unknown,
  names: readonly string[],
): { readonly [attribute: string]: string } {
  const refused: { [attribute: string]: string } = {};
  for (const raw of asList(at(bios, '@Redfish.Settings', 'Messages')).slice(0, 64)) {
    const message = readMessage(raw);
    if (message === null) continue;
    const bad = message.severity === 'Critical' || message.severity === 'Warning';
    if (!bad && (message.severity !== null || !REFUSED.test(message.id ?? ''))) continue;
    const about = new Set([...message.properties, ...message.args].flatMap((each) => each.split(/[/#]/)));
    for (const name of names) {
      if (about.has(name)) refused[name] ??= message.text ?? message.id ?? 'no reason given';
    }
  }
  return refused;
}

const WRONG = /Property(Value|NotWritable|Unknown|Missing)|AttributeRegistry|OutOfRange|read-?only/i;

/**
 * Whether the messages of a write say that settings are wrong. In a refusal either is enough, the kind of
 * message or the name of a setting; in a success it takes both.
 */
export function saysWrong(
  messages: readonly RedfishMessage[],
  names: readonly string[],
  refused: boolean,
): boolean {
  return messages.some((each) => {
    const kind = WRONG.test(each.id ?? '');
    const named = namedProperties([each], names).length > 0;
    return refused ? kind || named : kind && named;
  });
}

/** How the settings read after the reset. */
export type BiosVerdict =
  | { readonly state: 'applied' }
  | { readonly state: 'waiting'; readonly names: readonly string[] }
  | { readonly state: 'refused'; readonly names: readonly string[] }
  /** As before the reset: the firmware may not have told the BMC yet. */
  | { readonly state: 'unchanged'; readonly names: readonly string[] }
  | { readonly state: 'other'; readonly names: readonly string[] };

/** What was so before the reset. */
export interface BiosBefore {
  readonly values: { readonly [attribute: string]: unknown };
  /** Attributes of which the firmware spoke already: of an earlier reset. */
  readonly refused: readonly string[];
}

/** Judges one reading. A refusal that was there before counts only for a setting that no longer waits. */
export function biosVerdict(standing: BiosStanding, before: BiosBefore, types: Types = {}): BiosVerdict {
  const { waiting, missing, refused, values } = standing;
  const fresh = [...waiting, ...missing].filter(
    (name) => refused[name] !== undefined && !(waiting.includes(name) && before.refused.includes(name)),
  );
  if (fresh.length > 0) return { state: 'refused', names: fresh };
  if (waiting.length > 0) return { state: 'waiting', names: waiting };
  const known = (name: string): boolean => Object.hasOwn(before.values, name);
  const unchanged = missing.filter(
    (name) =>
      values[name] === null ||
      (known(name) && sameValue(values[name], before.values[name], types[name] ?? null)),
  );
  const other = missing.filter((name) => !unchanged.includes(name));
  if (other.length > 0) return { state: 'other', names: other };
  return unchanged.length > 0 ? { state: 'unchanged', names: unchanged } : { state: 'applied' };
}
