const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/**
 * Seconds of a duration such as `90s`, `15m`, `2h`, `1d`, `1h30m`, or a number of seconds.
 * Undefined if it is none, or not positive, or longer than 365 days.
 */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return withinYear(value);
  if (typeof value !== 'string' || !/^(\d{1,9}[smhd])+$/.test(value)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of value.matchAll(/(\d+)([smhd])/g)) {
    seconds += Number(amount) * UNITS[unit as keyof typeof UNITS];
  }
  return withinYear(seconds);
}

const withinYear = (seconds: number): number | undefined =>
  Number.isFinite(seconds) && seconds > 0 && seconds <= 365 * 86_400 ? seconds : undefined;

/** A duration for people: `45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. Zero parts are left out. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor((whole % 86_400) / 3600), 'h'],
    [Math.floor((whole % 3600) / 60), 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}
