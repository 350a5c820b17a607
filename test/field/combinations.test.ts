import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CASES, nameOf } from './cases.ts';
import { Lanes } from './lanes.ts';
import type { Case } from './row.ts';

// Three faults at once, of those that an operation gets over: a deploy, and a clean after it.

const SEED = 20_240_607;
const MANY = 100;

/** Switches that no BMC could have together. */
const APART: readonly (readonly string[])[] = [
  ['mediaOnlyUnderSystem', 'mediaOnlyUnderManager', 'systemMediaRefuses', 'systemMediaDead'],
  ['bootNeedsMode', 'bootHidesMode'],
  ['bootNeedsMode', 'equalModeQueuesJob'],
  ['settingsHaveOrderOnly', 'bootOnlyOnSettings'],
  // An old image in a drive that has no action any more.
  ['firstSlotDead', 'mediaStaysAfterEject'],
];

/** What a switch leaves nothing to do for. Each of the others has to fire. */
const HIDES: { readonly [name: string]: readonly string[] } = {
  bootNeedsEtag: ['patchNeedsEtag'],
  insertNeedsProtocol: ['insertNeedsProtocolRelated', 'insertNeedsProtocolText'],
  insertNeedsProtocolRelated: ['insertNeedsProtocolText'],
  // A drive that is patched has no action that ejects, and shows no Inserted.
  mediaByPatch: [
    'ejectMedia.lostResponse',
    'ejectMedia.status503RetryAfter',
    'ejectEmptyIsError',
    'insertShowsLate',
    'mediaStaysAfterEject',
    'mediaUrlStays',
    'mediaLooksInserted',
  ],
  sameStateIsBadRequest: ['sameStateIsConflict'],
  taskLocationAbsolute: ['taskLocationRelative'],
  taskMonitorNoContent: ['taskMonitorRedirects'],
  taskNowhere: [
    'taskLocationAbsolute',
    'taskLocationRelative',
    'taskMonitorNoContent',
    'taskMonitorRedirects',
    'taskOnlyInArgs',
    'taskStateUnknown',
    'taskWithoutLocation',
  ],
  taskOnlyInArgs: ['taskWithoutLocation'],
};

const POOL = CASES.filter(
  ({ fails, run, never, before, contract, faults }) =>
    !fails && !run && !never && !before && !contract && Object.keys(faults).length > 0,
);

/** A generator of numbers in [0, 1) that gives the same ones each time (mulberry32). */
function seeded(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Three cases as one; what only one of them alone does is not checked. */
function together(three: readonly Case[]): Case {
  const faults = Object.assign({}, ...three.map((each) => each.faults)) as Case['faults'];
  return {
    id: three.map(({ id }) => id).join(' + '),
    what: three.map(({ what }) => what).join('; '),
    faults,
    hidden: Object.keys(faults).flatMap((name) => HIDES[name] ?? []),
    ...three
      .map(({ ops }) => (ops === undefined ? {} : { ops }))
      .reduce((all, each) => ({ ...all, ...each })),
  };
}

function combinations(): Case[] {
  const next = seeded(SEED);
  const found = new Map<string, Case>();
  while (found.size < MANY) {
    const three = [...new Set(Array.from({ length: 3 }, () => Math.floor(next() * POOL.length)))].sort();
    const one = together(three.map((i) => POOL[i]!));
    const apart = APART.some((names) => names.filter((name) => name in one.faults).length > 1);
    if (three.length === 3 && !apart) found.set(nameOf(one), one);
  }
  return [...found.values()];
}

const lanes = new Lanes();
beforeAll(() => lanes.open(8));
afterAll(() => lanes.close());

describe.concurrent('three faults at once', () => {
  it.each(combinations().map((each, index) => [index, nameOf(each), each] as const))(
    '%i: %s',
    (_index, _name, each) => lanes.on((lane) => lane.play(each)),
    300_000,
  );
});

it('are a hundred', () => {
  expect(combinations()).toHaveLength(MANY);
});
