import { describe, expect, it } from 'vitest';
import { differenceOf, judgeClock, narrowed, within } from '../../../core/host/clock.ts';
import { judgeTimeService, readTimeService, type TimeService } from '../../../core/host/time-service.ts';

const answer = (text: string, exit = 0) => ({ text, exit });
const NONE = answer('', 127);
/** 21 s after the reference time of the answers below. */
const BEGIN = answer('1767225621.500000000');
const service = (over: { begin?: object; chronyc?: object; timedatectl?: object; ntpq?: object }) =>
  readTimeService({ begin: BEGIN, chronyc: NONE, timedatectl: NONE, ntpq: NONE, ...(over as object) });

// chrony 4.3 (Debian 12), 4.5 (Ubuntu 24.04) and 4.6 (Debian 13, RHEL 9) say the same fields.
const SYNCED =
  'C0A80F01,192.168.15.1,4,1767225600.479021,0.000004567,-0.000002310,0.000021987,-7.123,0.001,0.045,0.012345678,0.001234567,1038.4,Normal';
const UNSYNCED =
  '00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,1.000000000,1.000000000,0.0,Not synchronised';
const LOCAL =
  '7F7F0101,,10,1767225600.479021,0.000000000,0.000000000,0.000000000,-7.123,0.000,0.000,0.000000000,0.000000000,0.0,Normal';
/** A chronyd whose servers have all gone after its last update, with 64 s or more between updates. */
const DESERTED = (interval: string) => SYNCED.replace('1038.4', interval);
const TIMEDATECTL = (ntp: string, synchronised: string) =>
  answer(
    `Timezone=Etc/UTC\nLocalRTC=no\nCanNTP=yes\nNTP=${ntp}\nNTPSynchronized=${synchronised}\nTimeUSec=Thu 2026-01-01 00:00:00 UTC\nRTCTimeUSec=Thu 2026-01-01 00:00:00 UTC`,
  );
const NTPQ = (flags: string, refid: string, stratum = 3) =>
  answer(
    `associd=0 status=0615 ${flags}, 1 event, clock_sync,\nversion="ntpd ntpsec-1.2.2", leap=00, stratum=${stratum}, precision=-23,\nrootdelay=12.3, refid=${refid}, reftime=ed0f1c2a.1`,
  );

describe('a time service', () => {
  it.each<[string, Parameters<typeof service>[0], TimeService['state']]>([
    ['chrony with a source', { chronyc: answer(SYNCED) }, 'synchronised'],
    ['chrony without one', { chronyc: answer(UNSYNCED) }, 'not'],
    ['chrony by its own clock', { chronyc: answer(LOCAL) }, 'local'],
    [
      'chrony whose last update is an hour old',
      { chronyc: answer(DESERTED('64.2')), begin: answer('1767229200.479021000') },
      'synchronised',
    ],
    [
      'chrony that heard its last server more than an hour ago',
      { chronyc: answer(DESERTED('64.2')), begin: answer('1767229202.000000000') },
      'not',
    ],
    [
      'chrony that asks each 17 min, and heard its server 10 times that ago',
      { chronyc: answer(SYNCED), begin: answer('1767235984.000000000') },
      'synchronised',
    ],
    [
      'chrony that asks each 17 min, and heard its last server longer ago',
      { chronyc: answer(SYNCED), begin: answer('1767235986.000000000') },
      'not',
    ],
    [
      'chrony whose clock was set back since its last update',
      { chronyc: answer(SYNCED), begin: answer('1767225000.000000000') },
      'synchronised',
    ],
    [
      'chrony without a source, where the kernel holds its clock to be right',
      { chronyc: answer(UNSYNCED), timedatectl: TIMEDATECTL('yes', 'yes') },
      'not',
    ],
    [
      'chrony without a server for long, where the kernel holds its clock to be right',
      {
        chronyc: answer(SYNCED),
        begin: answer('1767312000.000000000'),
        timedatectl: TIMEDATECTL('yes', 'yes'),
      },
      'not',
    ],
    [
      'chrony without a source, beside an ntpd with one',
      { chronyc: answer(UNSYNCED), ntpq: NTPQ('leap_none, sync_ntp', '192.168.15.1') },
      'not',
    ],
    [
      'chrony by its own clock, where the kernel holds that to be right',
      { chronyc: answer(LOCAL), timedatectl: TIMEDATECTL('yes', 'yes') },
      'local',
    ],
    ['the kernel, by systemd-timesyncd', { timedatectl: TIMEDATECTL('yes', 'yes') }, 'synchronised'],
    [
      'the kernel, by phc2sys, with chronyd off',
      { chronyc: answer('506 Cannot talk to daemon', 1), timedatectl: TIMEDATECTL('no', 'yes') },
      'synchronised',
    ],
    ['systemd-timesyncd that waits', { timedatectl: TIMEDATECTL('yes', 'no') }, 'not'],
    ['none that is on', { timedatectl: TIMEDATECTL('no', 'no') }, 'not'],
    [
      'no systemd, and no other',
      {
        timedatectl: answer(
          "System has not been booted with systemd as init system (PID 1). Can't operate.",
          1,
        ),
      },
      'not',
    ],
    ['ntpd with a source', { ntpq: NTPQ('leap_none, sync_ntp', '192.168.15.1') }, 'synchronised'],
    ['ntpd without one', { ntpq: NTPQ('leap_alarm, sync_unspec', 'INIT', 16) }, 'not'],
    ['ntpd by its own clock', { ntpq: NTPQ('leap_none, sync_local', 'LOCL') }, 'local'],
    ['ntpd that is off', { ntpq: answer('ntpq: read: Connection refused') }, 'not'],
    ['nothing at all', {}, 'not'],
  ])('%s', (_what, said, state) => {
    expect(service(said).state).toBe(state);
  });

  it('that is not in sync, or whose only witness is itself, is wrong', () => {
    const synced = service({ chronyc: answer(SYNCED) });
    const local = service({ chronyc: answer(LOCAL) });
    const off = service({ timedatectl: TIMEDATECTL('no', 'no') });
    const messages = (own: TimeService, ...others: TimeService[]) =>
      judgeTimeService(own, new Map(others.map((each, i) => [`c${i + 2}`, each]))).map(
        ({ message }) => message,
      );
    expect(messages(synced)).toEqual([]);
    const deserted = service({ chronyc: answer(SYNCED), begin: answer('1767312000.479021000') });
    expect(messages(deserted)).toEqual([
      'Its time is not in sync: chronyd has heard nothing from source 192.168.15.1 for 1440 min, nor from another.',
    ]);
    expect(messages(off)).toEqual([expect.stringContaining('no time service of its own is on')]);
    expect(messages(local, synced)).toEqual([]);
    expect(messages(local)).toEqual([expect.stringContaining('no other host to compare it with')]);
    expect(messages(local, synced, local)).toEqual([expect.stringContaining('and so does c3')]);
  });
});

const clock = (begin: string, end: string) => ({ begin: answer(begin), end: answer(end) });

describe('a clock', () => {
  it('is known as well as the way there and back allows', () => {
    // Asked at 100, answered at 101; on the host 0.4 s lay between the readings.
    expect(
      differenceOf(clock('1000000100.300000000', '1000000100.700000000'), 1000000100, 1000000101),
    ).toEqual({
      least: expect.closeTo(-0.3, 6),
      most: expect.closeTo(0.3, 6),
    });
    // Where `date` has no fractions, a second is what it is known to.
    expect(differenceOf(clock('1000003700.N', '1000003700.N'), 1000000100, 1000000101)).toEqual({
      least: 3599,
      most: 3601,
    });
    expect(differenceOf(clock('date: invalid', ''), 1, 2)).toBeUndefined();
  });

  it('is known better by several readings, unless it was set between them', () => {
    expect(narrowed({ least: -2, most: 1 }, { least: -1, most: 3 })).toEqual({ least: -1, most: 1 });
    expect(narrowed({ least: 3599, most: 3601 }, { least: -1, most: 1 })).toEqual({ least: -1, most: 1 });
    expect(narrowed(undefined, { least: -1, most: 3 })).toEqual({ least: -1, most: 3 });
  });

  it.each([
    [{ least: -0.3, most: 0.3 }, 'yes'],
    [{ least: 1.1, most: 1.5 }, 'no'],
    [{ least: -9, most: -1.1 }, 'no'],
    [{ least: 0.5, most: 1.5 }, 'unsure'],
    [{ least: -5, most: 5 }, 'unsure'],
  ] as const)('that is off by %j is within a second: %s', (difference, expected) => {
    expect(within(difference, 1)).toBe(expected);
  });

  it('is compared with the worker and with the others; what both allow is not told as either', () => {
    const c2 = new Map([['c2', { least: -0.1, most: 0.1 }]]);
    expect(judgeClock({ least: -0.2, most: 0.2 }, c2, 1)).toEqual({ wrong: [], unsure: [] });
    const ahead = judgeClock({ least: 3599.8, most: 3600.2 }, c2, 1);
    expect(ahead.wrong.map(({ message }) => message)).toEqual([
      "Its clock is 3600 s ahead of the worker's; 1 s are allowed.",
      'Its clock is 3600 s ahead of that of c2; 1 s are allowed.',
    ]);
    expect(judgeClock({ least: -0.9, most: 0.2 }, new Map(), 0.5)).toEqual({
      wrong: [],
      unsure: ["against the worker's it lies between -0.90 and 0.20 s"],
    });
  });
});
