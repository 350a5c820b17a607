interface Field {
  readonly from: number;
  readonly to: number;
  /** Names of its values, the first of which is `from`. */
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, names: MONTHS },
  // 0 and 7 are Sunday.
  { from: 0, to: 7, names: DAYS },
];
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a text is five cron fields, as Temporal reads them, and there is a day that they mean. */
export function isCron(text: string): boolean {
  const words = text.trim().split(/\s+/);
  if (words.length !== FIELDS.length) return false;
  const read = words.map((word, at) => valuesOf(word, FIELDS[at]!));
  if (read.includes(undefined)) return false;
  const [, , days, months] = read as number[][];
  return months!.some((month) => days!.some((day) => day <= LONGEST[month - 1]!));
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
  const end = from === to && part.includes('/') ? field.to : to;
  return Array.from(
    { length: Math.floor((end - from) / Number(step)) + 1 },
    (_, n) => from + n * Number(step),
  );
}

function valueOf(word: string | number, { from, to, names = [] }: Field): number | undefined {
  const at = names.indexOf(String(word).toLowerCase());
  if (at >= 0) return from + at;
  const value = /^\d+$/.test(String(word)) ? Number(word) : NaN;
  return value >= from && value <= to ? value : undefined;
}
