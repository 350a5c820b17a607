import type { AcceptanceReport, CheckReport, GateReport } from '../report.ts';

/** A check on the time line: where it begins and how long it is, in per cent of the width. */
export interface Bar {
  readonly gate: GateReport;
  readonly check: CheckReport;
  readonly left: number;
  readonly width: number;
  readonly seconds: number;
}

/** A time in which no check ran, drawn shorter than it was. */
export interface Gap {
  readonly left: number;
  readonly width: number;
  readonly seconds: number;
}

export interface Timeline {
  readonly bars: readonly Bar[];
  readonly gaps: readonly Gap[];
  /** Where checks begin to run, and the last one ends. */
  readonly ticks: readonly { readonly left: number; readonly at: string }[];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * A gap longer than this part of the time in which something ran, and than a minute, is shortened: a hold of two days
 * leaves the checks to be seen.
 */
const LONG_GAP = 0.25;
const MINUTE = 60_000;
/** What is left of such a gap, of the same time. */
const SHORTENED = 0.06;

/**
 * The checks of a run along its time. Those whose evidence is of another run are not of its time.
 *
 * @param now the end of what still runs
 */
export function timelineOf(report: AcceptanceReport, now: string): Timeline {
  const ran = report.gates.flatMap((gate) =>
    gate.kept && gate.kept.runId !== report.runId
      ? []
      : gate.checks.flatMap((check) => spanOf(gate, check, now)),
  );
  if (ran.length === 0) return { bars: [], gaps: [], ticks: [] };
  const busy = merged(ran.map(({ span }) => span));
  const place = axis(busy);
  return {
    bars: ran.map(({ gate, check, span }) => ({
      gate,
      check,
      left: place.at(span.from),
      width: round(place.at(span.to) - place.at(span.from)),
      seconds: (span.to - span.from) / 1000,
    })),
    gaps: place.gaps,
    ticks: [...busy.map(({ from }) => from), busy.at(-1)!.to].map((time) => ({
      left: place.at(time),
      at: new Date(time).toISOString(),
    })),
  };
}

function spanOf(
  gate: GateReport,
  check: CheckReport,
  now: string,
): { gate: GateReport; check: CheckReport; span: Span }[] {
  if (check.startedAt === undefined) return [];
  const from = Date.parse(check.startedAt);
  const to = Date.parse(check.endedAt ?? now);
  return Number.isNaN(from) || Number.isNaN(to)
    ? []
    : [{ gate, check, span: { from, to: Math.max(from, to) } }];
}

/** Spans that touch as one. */
function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && span.from <= last.to)
      all[all.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else all.push(span);
  }
  return all;
}

/** Places times on a line on which long gaps are shortened. */
function axis(busy: readonly Span[]): { at(time: number): number; gaps: Gap[] } {
  const ran = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const longest = Math.max(MINUTE, ran * LONG_GAP);
  const drawn = (idle: number): number => (idle > longest ? Math.max(1, ran * SHORTENED) : idle);
  let position = 0;
  const parts = busy.map((span, index) => {
    const idle = index === 0 ? 0 : span.from - busy[index - 1]!.to;
    const begins = position + drawn(idle);
    const part = { span, idle, before: position, begins };
    position = begins + span.to - span.from;
    return part;
  });
  const whole = Math.max(1, position);
  const percent = (value: number): number => round((100 * value) / whole);
  return {
    at(time) {
      const part = parts.findLast(({ span }) => span.from <= time)!;
      return percent(part.begins + time - part.span.from);
    },
    gaps: parts
      .filter(({ idle }) => idle > longest)
      .map(({ idle, before, begins }) => ({
        left: percent(before),
        width: percent(begins - before),
        seconds: idle / 1000,
      })),
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;
