import type { Kind, Look, SeenNic, SeenPart } from './look.ts';
import { paired } from './pairing.ts';

/** A part that was accepted, and whether the BMC shows it also while the host is off. */
export type Accepted<T> = T & { readonly seenOff: boolean };

export interface Totals {
  readonly threads: number | null;
  readonly memoryGiB: number | null;
}

/** What a node is made of, as somebody accepted it: later inspections are compared with it. */
export interface Baseline {
  readonly at: string;
  readonly requestId: string;
  readonly system: Look['system'];
  readonly nics: readonly Accepted<SeenNic>[];
  readonly gpus: readonly Accepted<SeenPart>[];
  readonly drives: readonly Accepted<SeenPart>[];
  /** A BMC may tell less of a host that is off: what it tells is kept for each state. */
  readonly whenOn: Totals;
  readonly whenOff: Totals;
  readonly bootMode: string | null;
  readonly secureBoot: boolean | null;
  readonly tpm: boolean | null;
  readonly firmware: { readonly [id: string]: string };
  /** Kinds that were read in full of a running host: nothing more can have been hidden. */
  readonly complete: readonly Kind[];
}

const NOTHING: Totals = { threads: null, memoryGiB: null };
const KINDS: readonly Kind[] = ['nics', 'gpus', 'drives'];

const completeIn = ({ on, unsure }: Look): Kind[] =>
  on ? KINDS.filter((kind) => !unsure.includes(kind)) : [];

/** Makes an inspection the baseline. */
export function accept(look: Look): Baseline {
  const { at, requestId, on, system, threads, memoryGiB, bootMode, secureBoot, tpm, firmware } = look;
  const seen = <T>(part: T): Accepted<T> => ({ ...part, seenOff: !on });
  const totals = { threads, memoryGiB };
  return {
    at,
    requestId,
    system,
    nics: look.nics.map(seen),
    gpus: look.gpus.map(seen),
    drives: look.drives.map(seen),
    whenOn: on ? totals : NOTHING,
    whenOff: on ? NOTHING : totals,
    bootMode,
    secureBoot,
    tpm,
    firmware,
    complete: completeIn(look),
  };
}

/**
 * What an inspection without drift adds to the baseline: what was not told before, parts that a host that was off
 * may have hidden, and which parts are shown also then. What was told is kept as it is, but for firmware.
 */
export function learn(baseline: Baseline, look: Look): Baseline {
  const { on } = look;
  const hidden = (kind: Kind): boolean => !baseline.complete.includes(kind);
  const totals = (was: Totals): Totals => ({
    threads: was.threads ?? look.threads,
    memoryGiB: was.memoryGiB ?? look.memoryGiB,
  });
  const parts = (kind: 'gpus' | 'drives'): Accepted<SeenPart>[] => {
    const { same, added } = paired(baseline[kind], look[kind]);
    return [
      ...baseline[kind].map((known) => {
        const seen = same.find(([was]) => was === known)?.[1];
        return seen === undefined ? known : merged(known, seen, on);
      }),
      ...(hidden(kind) ? added : []).map((part) => ({ ...part, seenOff: !on })),
    ];
  };
  const known = new Set(baseline.nics.map(({ mac }) => mac));
  const added = hidden('nics') ? look.nics.filter(({ mac }) => !known.has(mac)) : [];
  return {
    ...baseline,
    system: {
      serialNumber: baseline.system.serialNumber ?? look.system.serialNumber,
      uuid: baseline.system.uuid ?? look.system.uuid,
    },
    nics: [
      ...baseline.nics.map((nic) => {
        const seen = look.nics.find(({ mac }) => mac === nic.mac);
        if (seen === undefined) return nic;
        const uris = [...new Set([...nic.uris, ...seen.uris])].slice(0, 16);
        const neighbour = nic.neighbour ?? seen.neighbour;
        return { mac: nic.mac, uris, neighbour, seenOff: nic.seenOff || !on };
      }),
      ...added.map((nic) => ({ ...nic, seenOff: !on })),
    ],
    gpus: parts('gpus'),
    drives: parts('drives'),
    whenOn: on ? totals(baseline.whenOn) : baseline.whenOn,
    whenOff: on ? baseline.whenOff : totals(baseline.whenOff),
    bootMode: baseline.bootMode ?? look.bootMode,
    secureBoot: baseline.secureBoot ?? look.secureBoot,
    // One that a host that was off hid, or that is new, is there from now on.
    tpm: baseline.tpm || look.tpm,
    firmware: look.firmware,
    complete: [...new Set([...baseline.complete, ...completeIn(look)])],
  };
}

const merged = (known: Accepted<SeenPart>, seen: SeenPart, on: boolean): Accepted<SeenPart> => ({
  id: known.id ?? seen.id,
  model: known.model ?? seen.model,
  sizeBytes: known.sizeBytes ?? seen.sizeBytes,
  uri: seen.uri,
  seenOff: known.seenOff || !on,
});
