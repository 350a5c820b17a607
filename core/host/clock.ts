import type { Answers } from './answers.ts';
import type { HostFinding } from './finding.ts';

/** How far a clock is ahead of the worker's, in seconds: for certain not less than `least`, not more than `most`. */
export interface ClockDifference {
  readonly least: number;
  readonly most: number;
}

/**
 * What two readings of a clock say, taken one after the other between two moments of the worker. Undefined where
 * they are no times.
 *
 * @param asked seconds by the worker's clock, before the first reading
 * @param answered the same, after the second one
 */
export function differenceOf(answers: Answers, asked: number, answered: number): ClockDifference | undefined {
  // Not every `date` has fractions of a second: what lies in the same second is the same to it.
  const read = (name: string): { from: number; to: number } | undefined => {
    const [, whole, fraction] = /^(\d{9,11})(?:\.(\d{1,9}))?/.exec(answers[name]?.text ?? '') ?? [];
    if (whole === undefined) return undefined;
    return fraction === undefined
      ? { from: Number(whole), to: Number(whole) + 1 }
      : { from: Number(`${whole}.${fraction}`), to: Number(`${whole}.${fraction}`) };
  };
  const [begin, end] = [read('begin'), read('end')];
  if (begin === undefined || end === undefined) return undefined;
  return { least: end.from - answered, most: begin.to - asked };
}

/** What both readings allow; where they contradict each other, the clock was set meanwhile, and the later one counts. */
export function narrowed(a: ClockDifference | undefined, b: ClockDifference): ClockDifference {
  const both = a === undefined ? b : { least: Math.max(a.least, b.least), most: Math.min(a.most, b.most) };
  return both.least <= both.most ? both : b;
}

/** Whether a difference is within a bound: `unsure` where what is known of it allows both. */
export function within({ least, most }: ClockDifference, bound: number): 'yes' | 'no' | 'unsure' {
  if (least > bound || most < -bound) return 'no';
  return least >= -bound && most <= bound ? 'yes' : 'unsure';
}

const shown = ({ least, most }: ClockDifference): string => {
  const middle = (least + most) / 2;
  const digits = Math.abs(middle) < 10 ? 2 : 0;
  return `${Math.abs(middle).toFixed(digits)} s ${middle < 0 ? 'behind' : 'ahead of'}`;
};

/**
 * Whether a clock agrees with the worker's and with those of the other controllers.
 *
 * @returns what is wrong for certain, and what cannot be told
 */
export function judgeClock(
  own: ClockDifference,
  others: ReadonlyMap<string, ClockDifference>,
  bound: number,
): { readonly wrong: HostFinding[]; readonly unsure: string[] } {
  const compared: [string, ClockDifference][] = [
    ["the worker's", own],
    ...[...others].map(([name, other]): [string, ClockDifference] => [
      `that of ${name}`,
      { least: own.least - other.most, most: own.most - other.least },
    ]),
  ];
  const of = (wanted: 'no' | 'unsure') =>
    compared.filter(([, difference]) => within(difference, bound) === wanted);
  return {
    wrong: of('no').map(([whose, difference]) => ({
      message: `Its clock is ${shown(difference)} ${whose}; ${bound} s are allowed.`,
      correction:
        'Look which of the two is right (`chronyc tracking` on both); on the other run `chronyc makestep`.',
    })),
    unsure: of('unsure').map(
      ([whose, { least, most }]) =>
        `against ${whose} it lies between ${least.toFixed(2)} and ${most.toFixed(2)} s`,
    ),
  };
}
