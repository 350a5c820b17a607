import { oneLine } from '../markdown.ts';
import type { Baseline } from './baseline.ts';
import { driftOfNics } from './drift-nics.ts';
import { driftOfParts } from './drift-parts.ts';
import type { Drift, Finding } from './findings.ts';
import type { Look } from './look.ts';

export const NO_DRIFT: Drift = { findings: [], notes: [], untold: [] };

type Rule = (was: Baseline, is: Look) => Partial<Drift>;

const GIB = (size: number): string => `${Math.round(size * 10) / 10} GiB`;
/** Firmware takes a little for itself, and not always the same. */
const NEARLY = 0.99;
const differ = <T>(was: T | null, is: T | null): boolean => was !== null && is !== null && was !== is;

interface Total {
  readonly was: number;
  readonly is: number;
  /** More is news only of a host in the same state. */
  readonly alike: boolean;
}

/**
 * What a total was and is, where these can be compared. A host that is on tells all; of one that is off its BMC may
 * tell less: that is compared with what it told of a host that was off.
 */
function totalOf(
  { whenOn, whenOff }: Baseline,
  look: Look,
  name: 'threads' | 'memoryGiB',
): Total | undefined {
  const alike = (look.on ? whenOn : whenOff)[name];
  const was = alike ?? (look.on ? whenOff[name] : null);
  const is = look[name];
  return was === null || is === null ? undefined : { was, is, alike: alike !== null };
}

const memory: Rule = (baseline, look) => {
  const total = totalOf(baseline, look, 'memoryGiB');
  if (total === undefined) return {};
  const { was, is, alike } = total;
  if (is > was / NEARLY) return { notes: alike ? [`memory: ${GIB(is)}, and ${GIB(was)} before`] : [] };
  if (is >= was * NEARLY) return {};
  const correction =
    'Look for modules that failed training in the log of the BMC; reseat or replace them. If it was taken out: inspect with `accept`.';
  return {
    findings: [{ what: 'less memory', was: GIB(was), is: GIB(is), faultDomain: 'hardware', correction }],
  };
};

const threads: Rule = (baseline, look) => {
  const total = totalOf(baseline, look, 'threads');
  if (total === undefined || total.is === total.was) return {};
  const { was, is, alike } = total;
  if (is > was) return { notes: alike ? [`CPU threads: ${is}, and ${was} before`] : [] };
  const half = is * 2 === was;
  return {
    findings: [
      {
        what: 'fewer CPU threads',
        was: String(was),
        is: String(is),
        // Half of them is what a BIOS without hyper-threading shows, and a socket that is lost.
        faultDomain: half ? 'firmware' : 'hardware',
        correction: half
          ? 'See whether the BIOS has switched hyper-threading off, or a CPU is not found any more.'
          : 'See in the log of the BMC which CPU or cores were disabled.',
      },
    ],
  };
};

const settings: Rule = (was, is) => ({
  findings: [
    ...(differ(was.bootMode, is.bootMode)
      ? [
          {
            what: 'boot mode',
            was: was.bootMode!,
            is: is.bootMode!,
            faultDomain: 'firmware' as const,
            correction: 'Set it back in the BIOS: a reset of its settings may have changed it.',
          },
        ]
      : []),
    ...(differ(was.secureBoot, is.secureBoot)
      ? [
          {
            what: 'secure boot',
            was: was.secureBoot ? 'enabled' : 'disabled',
            is: is.secureBoot ? 'enabled' : 'disabled',
            faultDomain: 'firmware' as const,
            correction: 'Set it back in the BIOS, and find out who changed it.',
          },
        ]
      : []),
  ],
});

const tpm: Rule = (was, is) =>
  was.tpm === true && is.tpm === false && is.on
    ? {
        findings: [
          {
            what: 'TPM gone',
            was: 'shown',
            is: 'none',
            faultDomain: 'firmware',
            correction:
              'See whether a reset of the BIOS settings has switched it off; else reseat or replace it.',
          },
        ],
      }
    : {};

const firmware: Rule = (was, is) => ({
  notes: Object.entries(was.firmware).flatMap(([id, version]) => {
    const now = is.firmware[id];
    return now === undefined || now === version ? [] : [`firmware ${id}: ${version}, now ${now}`];
  }),
});

/** Every rule; what none of them finds is no drift. */
const RULES: readonly Rule[] = [
  driftOfNics,
  (was, is) => driftOfParts('gpus', was, is),
  (was, is) => driftOfParts('drives', was, is),
  memory,
  threads,
  settings,
  tpm,
  firmware,
];

/** Another machine behind the address makes everything else meaningless. */
function otherMachine({ system: was }: Baseline, { system: is }: Look): Finding | undefined {
  const serial = differ(was.serialNumber, is.serialNumber);
  const untold = was.serialNumber === null || is.serialNumber === null;
  if (!serial && !(untold && differ(was.uuid, is.uuid))) return undefined;
  return {
    what: 'another machine',
    was: serial ? `serial number ${was.serialNumber}` : `UUID ${was.uuid}`,
    is: serial ? `serial number ${is.serialNumber}` : `UUID ${is.uuid}`,
    faultDomain: 'hardware',
    correction:
      'See whether the address of the BMC leads to another machine, or the main board was replaced. Until that is known, act on nothing.',
  };
}

const uuid: Rule = ({ system: was }, { system: is }) =>
  differ(was.uuid, is.uuid) ? { notes: [`UUID of the system: ${was.uuid}, now ${is.uuid}`] } : {};

/** How a look differs from the baseline. Pure, and for a system that changed nothing: empty. */
export function driftOf(was: Baseline, is: Look): Drift {
  const other = otherMachine(was, is);
  if (other !== undefined) return { ...NO_DRIFT, findings: [shown(other)] };
  const found = [...RULES, uuid].map((rule) => rule(was, is));
  return {
    findings: found.flatMap(({ findings = [] }) => findings).map(shown),
    notes: found.flatMap(({ notes = [] }) => notes).map((text) => oneLine(text, 200)),
    untold: found.flatMap(({ untold = [] }) => untold).map((text) => oneLine(text, 200)),
  };
}

/** What a BMC called its parts, as one line each that is not too long. */
const shown = (finding: Finding): Finding => ({
  ...finding,
  what: oneLine(finding.what, 120),
  was: oneLine(finding.was, 120),
  is: oneLine(finding.is, 120),
});

/** A finding in a few words. */
export const wordsOf = ({ what, was, is, faultDomain }: Finding): string =>
  `${what}: was ${was}, is ${is} (${faultDomain})`;

/** Several findings in one text that is never longer than a flag may be. */
export function driftText(words: readonly string[], cap = 300): string {
  for (let kept = words.length; kept > 0; kept -= 1) {
    const more = words.length - kept;
    const text = `${words.slice(0, kept).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
    if (text.length <= cap) return text;
  }
  return oneLine(words[0] ?? '', cap);
}
