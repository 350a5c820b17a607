/** A time of the week when something may be done. Ends on the next day where `to` is not after `from`. */
export interface Window {
  readonly days: readonly Day[];
  /** `HH:MM`. */
  readonly from: string;
  readonly to: string;
}

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

export type WindowState =
  | { readonly open: true }
  /** `next` is when one opens, on the clock of the time zone; null if none ever does. */
  | { readonly open: false; readonly next: string | null };

const before = (day: Day): Day => DAYS[(DAYS.indexOf(day) + 6) % 7]!;

/** Whether a time lies in one of the windows; without windows, any does. */
export function windowState(windows: readonly Window[], timeZone: string, at: Date): WindowState {
  if (windows.length === 0) return { open: true };
  const { day, clock } = localTime(timeZone, at);
  const open = windows.some(({ days, from, to }) =>
    from < to
      ? days.includes(day) && clock >= from && clock < to
      : (days.includes(day) && clock >= from) || (days.includes(before(day)) && clock < to),
  );
  return open ? { open } : { open, next: nextOpening(windows, timeZone, at) };
}

/** The earliest beginning after a time, within a week; days are counted at noon, which no change of clocks moves. */
function nextOpening(windows: readonly Window[], timeZone: string, at: Date): string | null {
  const now = localTime(timeZone, at);
  const noon = at.getTime() + (12 - Number(now.clock.slice(0, 2))) * 3_600_000;
  for (let ahead = 0; ahead <= 7; ahead += 1) {
    const { day, date } = localTime(timeZone, new Date(noon + ahead * 86_400_000));
    const opens = windows
      .filter(({ days, from }) => days.includes(day) && (ahead > 0 || from > now.clock))
      .map(({ from }) => from)
      .sort()[0];
    if (opens !== undefined) return `${day} ${date} ${opens} ${timeZone}`;
  }
  return null;
}

/** Day, date and time of day in a time zone. */
function localTime(timeZone: string, at: Date): { day: Day; date: string; clock: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? '';
  return {
    day: part('weekday').toLowerCase().slice(0, 3) as Day,
    date: `${part('year')}-${part('month')}-${part('day')}`,
    clock: `${part('hour')}:${part('minute')}`,
  };
}
