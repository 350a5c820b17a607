import type { Baseline } from './baseline.ts';
import type { Drift, Finding } from './findings.ts';
import type { Look, SeenPart } from './look.ts';
import { paired } from './pairing.ts';

/** How a kind of part is called, and what helps where one is missing. */
const NAMES = {
  gpus: {
    one: 'GPU',
    many: 'GPUs',
    gone: 'Switch the host off and on once; if it stays away, see the log of the BMC, and reseat or replace it.',
  },
  drives: {
    one: 'drive',
    many: 'drives',
    gone: 'See whether it was pulled or has failed: the log of the BMC, and its controller. If it was swapped on purpose: inspect with `accept`.',
  },
} as const;

const ACCEPT = 'If it was swapped on purpose: inspect with `accept`.';
/** What counts as smaller: more than rounding. */
const NEARLY = 0.99;

const sizeOf = (bytes: number): string => {
  const gb = bytes / 1e9;
  return gb >= 1000 ? `${Math.round(gb / 10) / 100} TB` : `${Math.round(gb)} GB`;
};

const nameOf = ({ model, id, sizeBytes, uri }: SeenPart): string =>
  [
    model ?? uri.slice(uri.lastIndexOf('/') + 1),
    ...(id === null ? [] : [`(${id})`]),
    ...(sizeBytes === null ? [] : [sizeOf(sizeBytes)]),
  ].join(' ');

/** GPUs or drives that are gone, replaced, or smaller. */
export function driftOfParts(kind: 'gpus' | 'drives', was: Baseline, is: Look): Drift {
  const { one, many, gone: correction } = NAMES[kind];
  const { same, replaced, gone, added } = paired(was[kind], is[kind]);
  const findings: Finding[] = [];
  const untold: string[] = [];

  for (const [before, now] of same) {
    const { sizeBytes: size } = now;
    if (before.sizeBytes === null || size === null || size >= before.sizeBytes * NEARLY) continue;
    findings.push({
      what: `${one} ${now.id ?? nameOf(now)} smaller`,
      was: sizeOf(before.sizeBytes),
      is: sizeOf(size),
      faultDomain: 'hardware',
      correction:
        'See whether its namespace was made smaller, or it has failed in part; give it its size back or replace it.',
    });
  }
  for (const [before, now] of replaced) {
    findings.push({
      what: `${one} replaced`,
      was: nameOf(before),
      is: nameOf(now),
      faultDomain: 'hardware',
      correction: ACCEPT,
    });
  }

  const sure = !is.unsure.includes(kind);
  // Many BMCs show no GPU and no NVMe drive of a host that is off.
  const missing = gone.filter(({ seenOff }) => sure && (is.on || seenOff));
  const hidden = gone.length - missing.length;
  if (hidden > 0) {
    const why = sure ? 'the BMC shows them only of a host that is on' : 'not all could be read';
    untold.push(`${hidden} ${hidden === 1 ? one : many} (${why})`);
  }
  if (missing.length > 1 && is[kind].length === 0) {
    findings.push({
      what: `all ${many} gone`,
      was: `${missing.length} ${many}`,
      is: 'none',
      faultDomain: 'bmc',
      correction: `That so many fail at once is unlikely: see whether the system has them, and reset the BMC if it has. If it has not: their power, riser or controller.`,
    });
  } else {
    for (const part of missing) {
      findings.push({
        what: `${one} gone`,
        was: nameOf(part),
        is: 'none',
        faultDomain: 'hardware',
        correction,
      });
    }
  }
  // What a host that was off may have hidden is nothing new.
  const notes =
    was.complete.includes(kind) && added.length > 0 ? [`new ${many}: ${added.map(nameOf).join(', ')}`] : [];
  return { findings, notes, untold };
}
