interface Field {
  readonly from: number;
  readonly to: number;
  /** Names of its values, the first of which is `from`, and with how many of their letters each begins at least. */
  readonly names?: { readonly of: readonly string[]; readonly least: number };
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const DAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const FIELDS: readonly Field[] = [
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, names: { of: MONTHS, least: 3 } },
  // 0 and 7 are Sunday.
  { from: 0, to: 7, names: { of: DAYS, least: 2 } },
];
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a text is five cron fields, as Temporal reads them. */
export const isCron = (text: string): boolean => fieldsOf(text) !== undefined;

/** Whether cron fields mean a day that some month has. */
export function hasDay(text: string): boolean {
  const [, , days = [], months = []] = fieldsOf(text) ?? [];
  return months.some((month) => days.some((day) => day <= LONGEST[month - 1]!));
}

/** The values of each field; undefined if one of them is none. */
function fieldsOf(text: string): number[][] | undefined {
  const words = text.trim().split(/\s+/);
  if (words.length !== FIELDS.length) return undefined;
  const read = words.map((word, at) => valuesOf(word, FIELDS[at]!));
  return read.includes(undefined) ? undefined : (read as number[][]);
}

/** The values that a field stands for; undefined if it is none. */
function valuesOf(word: string, field: Field): number[] | undefined {
  const parts = word.split(',').map((part) => valuesOfPart(part, field));
  return parts.includes(undefined) ? undefined : (parts as number[][]).flat();
}

function valuesOfPart(part: string, field: Field): number[] | undefined {
  const [, range, step = '1'] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
  if (range === undefined || Number(step) < 1) return undefined;
  const [first, last = first, ...more] = range === '*' ? [field.from, field.to] : range.split('-');
  if (more.length > 0) return undefined;
  const [from, to] = [valueOf(first!, field), valueOf(last!, field)];
  if (from === undefined || to === undefined || from > to) return undefined;
  // `5/15` goes on to the end.
  const end = /^[^-]+\//.test(part) ? field.to : to;
  return Array.from(
    { length: Math.floor((end - from) / Number(step)) + 1 },
    (_, n) => from + n * Number(step),
  );
}

function valueOf(word: string | number, { from, to, names }: Field): number | undefined {
  const letters = String(word).toLowerCase();
  const at = names?.of.findIndex((name) => letters.length >= names.least && name.startsWith(letters)) ?? -1;
  if (at >= 0) return from + at;
  const value = /^\d+$/.test(String(word)) ? Number(word) : NaN;
  return value >= from && value <= to ? value : undefined;
}
