import type { BiosSettings, BiosValue } from '../service-work.ts';
import { dependent, type Given } from './bios-dependencies.ts';
import type { BiosAttribute, BiosRegistry, BiosType } from './bios-registry.ts';
import { nearest, sameValue, shown } from './bios-values.ts';
import { quoted } from './comparison.ts';
import { asBoolean, asNumber, type Loose } from './read.ts';

/** What of the settings cannot be set, in words: each names the attribute, what is wrong and what is allowed. */
export interface SettingsCheck {
  readonly problems: readonly string[];
  /** What the settings are, but the setup does not offer now: it may be set, and has no effect yet. */
  readonly remarks: readonly string[];
  /** The type of each attribute that was asked for, as far as the registry says. */
  readonly types: { readonly [attribute: string]: BiosType | null };
}

const MOST_VALUES = 12;
const SECRET_NAME = /passw(or)?d|passphrase|^sha256/i;

/**
 * Holds settings against the attribute registry, with its dependencies as they are once all of them are set.
 * Without a registry, existence and type are told from what the BIOS has now; ranges cannot be. What is set
 * already is not held against anything: it is not written.
 */
export function checkSettings(
  registry: BiosRegistry | null,
  current: Loose,
  wanted: BiosSettings,
): SettingsCheck {
  const now = registry === null ? new Map() : dependent(registry, current);
  const then = registry === null ? new Map() : dependent(registry, { ...current, ...wanted });
  const problems: string[] = [];
  const remarks: string[] = [];
  const types: { [attribute: string]: BiosType | null } = {};
  for (const [name, value] of Object.entries(wanted)) {
    const said = registry?.attributes.get(name);
    types[name] = said?.type ?? null;
    const attribute = said === undefined ? undefined : effective(said, now, then);
    const problem = problemOf(name, value, attribute, registry, current);
    if (problem !== undefined) problems.push(`${name} ${problem}`);
    else if (attribute?.grayOut) remarks.push(`${name} has no effect with the other settings as they are`);
  }
  return { problems, remarks, types };
}

/** The attribute with what its dependencies make of it. */
function effective(attribute: BiosAttribute, now: Given, then: Given): BiosAttribute {
  const before = now.get(attribute.name) ?? {};
  const after = then.get(attribute.name) ?? {};
  // Some registries show as read-only what is so only with the settings of the moment.
  const flag = (own: boolean, key: string): boolean =>
    asBoolean(after[key]) ?? (own && asBoolean(before[key]) !== true);
  const number = (own: number | null, key: string): number | null => asNumber(after[key]) ?? own;
  return {
    ...attribute,
    readOnly: flag(attribute.readOnly, 'readonly'),
    writeOnly: flag(attribute.writeOnly, 'writeonly'),
    immutable: flag(attribute.immutable, 'immutable'),
    grayOut: flag(attribute.grayOut, 'grayout'),
    lower: number(attribute.lower, 'lowerbound'),
    upper: number(attribute.upper, 'upperbound'),
    scalar: number(attribute.scalar, 'scalarincrement'),
    minLength: number(attribute.minLength, 'minlength'),
    maxLength: number(attribute.maxLength, 'maxlength'),
  };
}

function problemOf(
  name: string,
  value: BiosValue,
  attribute: BiosAttribute | undefined,
  registry: BiosRegistry | null,
  current: Loose,
): string | undefined {
  if (isSecret(name, attribute)) return 'holds a secret: passwords are not set by this verb';
  const there = Object.hasOwn(current, name);
  if (!there && attribute === undefined) {
    const names = [...Object.keys(current), ...(registry?.attributes.keys() ?? [])];
    const shownAs = [...(registry?.attributes.values() ?? [])].find(
      (each) => each.displayName?.toLowerCase() === name.toLowerCase(),
    );
    const meant = shownAs?.name ?? nearest(name, names);
    return `is no attribute of this BIOS${meant === undefined ? '' : `; there is ${quoted(meant)}`}`;
  }
  if (there && sameValue(current[name], value, attribute?.type ?? null)) return undefined;
  if (attribute === undefined) return typeProblem(value, current[name]);
  if (attribute.readOnly || attribute.immutable) {
    const why = attribute.immutable ? 'tells of the hardware and cannot be set' : 'is read-only';
    return `${why}${there ? `; it is ${shown(current[name])}` : ''}`;
  }
  if (attribute.writeOnly) return 'asks for an action and reverts: nothing would show that it was applied';
  return valueProblem(value, attribute);
}

const isSecret = (name: string, attribute: BiosAttribute | undefined): boolean =>
  attribute?.type === 'Password' ||
  (SECRET_NAME.test(name) &&
    (attribute === undefined || attribute.type === null || attribute.type === 'String'));

/** Without a registry: the type that the BIOS has now is the one it takes. */
function typeProblem(value: BiosValue, current: unknown): string | undefined {
  if (typeof current === 'number' && asNumber(value) === null) return `takes a number, not ${shown(value)}`;
  if (typeof current === 'boolean' && asBoolean(value) === null)
    return `takes true or false, not ${shown(value)}`;
  return undefined;
}

function valueProblem(value: BiosValue, attribute: BiosAttribute): string | undefined {
  if (attribute.type === 'Boolean') {
    return asBoolean(value) === null ? `takes true or false, not ${shown(value)}` : undefined;
  }
  if (attribute.type === 'Integer') return integerProblem(value, attribute);
  if (attribute.type === 'String') return textProblem(String(value), attribute);
  if (attribute.values.length > 0) return enumerationProblem(String(value), attribute);
  return undefined;
}

function enumerationProblem(value: string, { values }: BiosAttribute): string | undefined {
  if (values.some(({ name }) => name === value)) return undefined;
  const names = values.map(({ name }) => name);
  const meant = values.find((each) => each.shown === value)?.name ?? nearest(value, names);
  const all = names.slice(0, MOST_VALUES).map(quoted).join(', ');
  const more = names.length > MOST_VALUES ? ` and ${names.length - MOST_VALUES} more` : '';
  const hint = meant === undefined ? '' : `; ${quoted(meant)} may be meant`;
  return `does not take ${shown(value)}, but ${all}${more}${hint}`;
}

function integerProblem(value: BiosValue, { lower, upper, scalar }: BiosAttribute): string | undefined {
  const number = typeof value === 'boolean' ? null : asNumber(value);
  const range =
    lower !== null && upper !== null
      ? `from ${lower} to ${upper}`
      : lower !== null
        ? `of at least ${lower}`
        : upper !== null
          ? `of at most ${upper}`
          : '';
  const step = scalar !== null && scalar > 1 ? `in steps of ${scalar}` : '';
  const whole = ['takes a whole number', range, step].filter((part) => part !== '').join(' ');
  const wrong = `${whole}, not ${shown(value)}`;
  if (number === null || !Number.isInteger(number)) return wrong;
  if ((lower !== null && number < lower) || (upper !== null && number > upper)) return wrong;
  if (scalar !== null && scalar > 1 && (number - (lower ?? 0)) % scalar !== 0) return wrong;
  return undefined;
}

function textProblem(value: string, { minLength, maxLength, pattern }: BiosAttribute): string | undefined {
  if (minLength !== null && value.length < minLength)
    return `takes a text of at least ${minLength} characters, not of ${value.length}`;
  // Some say 0 where they mean that nothing limits it.
  if (maxLength !== null && maxLength > 0 && value.length > maxLength)
    return `takes a text of at most ${maxLength} characters, not of ${value.length}`;
  const expression = pattern === null || pattern.length > 200 ? undefined : regularExpression(pattern);
  if (expression !== undefined && !expression.test(value.slice(0, 256)))
    return `takes a text that fits ${quoted(pattern!)}, not ${shown(value)}`;
  return undefined;
}

/** The expression; undefined where it is none, or could take for ever on a text that does not fit. */
function regularExpression(pattern: string): RegExp | undefined {
  const endless = pattern.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  if (endless > 3 || /\)([*+]|\{\d+,\d*\})/.test(pattern)) return undefined;
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}
