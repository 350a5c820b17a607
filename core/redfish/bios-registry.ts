import { asBoolean, asList, asNumber, asObject, at, type Loose } from './read.ts';

export const BIOS_TYPES = ['Enumeration', 'String', 'Integer', 'Boolean', 'Password'] as const;
export type BiosType = (typeof BIOS_TYPES)[number];

/** What the firmware says of one BIOS attribute. What it does not say is null, and limits nothing. */
export interface BiosAttribute {
  readonly name: string;
  readonly displayName: string | null;
  readonly type: BiosType | null;
  /** The values of an enumeration, as they are written, and what a person is shown instead. */
  readonly values: readonly { readonly name: string; readonly shown: string | null }[];
  readonly lower: number | null;
  readonly upper: number | null;
  /** Steps between the values, counted from the lower bound. */
  readonly scalar: number | null;
  readonly minLength: number | null;
  readonly maxLength: number | null;
  /** A regular expression for the value. */
  readonly pattern: string | null;
  readonly readOnly: boolean;
  /** Reverts to what it was once it was applied: it asks for an action. */
  readonly writeOnly: boolean;
  readonly immutable: boolean;
  readonly grayOut: boolean;
  readonly hidden: boolean;
  readonly resetRequired: boolean | null;
}

/** One term of a condition: a property of an attribute, held against a value. */
export interface BiosTerm {
  readonly attribute: string;
  readonly property: string;
  readonly condition: 'EQU' | 'NEQ' | 'GTR' | 'GEQ' | 'LSS' | 'LEQ';
  readonly value: unknown;
  /** How it is joined to the terms before it. */
  readonly join: 'AND' | 'OR';
}

/** While the terms hold, a property of an attribute has this value. */
export interface BiosDependency {
  readonly terms: readonly BiosTerm[];
  readonly attribute: string;
  /** In lower case: it is `ReadOnly` to some, and `Readonly` to others. */
  readonly property: string;
  readonly value: unknown;
}

/** The schema of a BIOS: what can be set, and to what. */
export interface BiosRegistry {
  readonly name: string | null;
  readonly attributes: ReadonlyMap<string, BiosAttribute>;
  readonly dependencies: readonly BiosDependency[];
}

const MOST = 5_000;
const CONDITIONS = new Set(['EQU', 'NEQ', 'GTR', 'GEQ', 'LSS', 'LEQ']);
/** A condition that is spelled otherwise. */
const SPELLED: { readonly [other: string]: string } = { EQ: 'EQU', NE: 'NEQ', GT: 'GTR', LT: 'LSS' };

const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;

function typeOf(value: unknown): BiosType | null {
  const text = textOf(value)?.toLowerCase();
  return BIOS_TYPES.find((type) => type.toLowerCase() === text) ?? null;
}

function valueOf(raw: unknown): BiosAttribute['values'][number] | null {
  // Some list bare texts, and some numbers.
  const name = textOf(raw) ?? textOf(asObject(raw)['ValueName']);
  return name === null ? null : { name, shown: textOf(asObject(raw)['ValueDisplayName']) };
}

function attributeOf(raw: unknown): BiosAttribute | null {
  const entry = asObject(raw);
  const name = textOf(entry['AttributeName']);
  if (name === null || name === '') return null;
  const flag = (key: string): boolean => asBoolean(entry[key]) ?? false;
  const values = entry['Value'] ?? entry['Values'];
  return {
    name,
    displayName: textOf(entry['DisplayName'])?.trim() ?? null,
    type: typeOf(entry['Type']),
    values: (Array.isArray(values) ? (values as unknown[]) : asList(values))
      .slice(0, MOST)
      .map(valueOf)
      .filter((value) => value !== null),
    lower: asNumber(entry['LowerBound']),
    upper: asNumber(entry['UpperBound']),
    scalar: asNumber(entry['ScalarIncrement']),
    minLength: asNumber(entry['MinLength']),
    maxLength: asNumber(entry['MaxLength']),
    pattern: textOf(entry['ValueExpression']),
    readOnly: flag('ReadOnly'),
    writeOnly: flag('WriteOnly'),
    immutable: flag('Immutable'),
    grayOut: flag('GrayOut'),
    hidden: flag('Hidden'),
    resetRequired: asBoolean(entry['ResetRequired']),
  };
}

function termOf(raw: unknown): BiosTerm | null {
  const term = asObject(raw);
  const attribute = textOf(term['MapFromAttribute']);
  const asked = textOf(term['MapFromCondition'])?.toUpperCase() ?? 'EQU';
  const condition = SPELLED[asked] ?? asked;
  if (attribute === null || !CONDITIONS.has(condition)) return null;
  return {
    attribute,
    property: (textOf(term['MapFromProperty']) ?? 'CurrentValue').toLowerCase(),
    condition: condition as BiosTerm['condition'],
    value: term['MapFromValue'],
    join: textOf(term['MapTerms'])?.toUpperCase() === 'OR' ? 'OR' : 'AND',
  };
}

/** Null unless all of it is understood: half a condition would hold where it should not. */
function dependencyOf(raw: unknown): BiosDependency | null {
  const entry: Loose = asObject(raw);
  const map = asObject(entry['Dependency']);
  const attribute = textOf(map['MapToAttribute']) ?? textOf(entry['DependencyFor']);
  const property = textOf(map['MapToProperty']);
  const from = asList(map['MapFrom']);
  const terms = from.map(termOf).filter((term) => term !== null);
  if (attribute === null || property === null || terms.length === 0 || terms.length < from.length)
    return null;
  return { terms, attribute, property: property.toLowerCase(), value: map['MapToValue'] };
}

/** Reads an attribute registry, whatever is missing or misspelt in it; null if it is none. */
export function biosRegistry(body: unknown): BiosRegistry | null {
  const entries = at(body, 'RegistryEntries');
  const attributes = asList(at(entries, 'Attributes'))
    .slice(0, MOST)
    .map(attributeOf)
    .filter((each) => each !== null);
  if (attributes.length === 0) return null;
  return {
    name: textOf(at(body, 'Id')),
    attributes: new Map(attributes.map((each) => [each.name, each])),
    dependencies: asList(at(entries, 'Dependencies'))
      .slice(0, MOST)
      .map(dependencyOf)
      .filter((each) => each !== null),
  };
}
