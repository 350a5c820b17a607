import type { Answers, Questions } from './answers.ts';
import type { HostFinding } from './finding.ts';

/** The clock first and last: what lies between the two on the host lies between them here, too. */
export const TIME_QUESTIONS: Questions = {
  begin: 'date +%s.%N',
  chronyc: 'chronyc -n -c tracking',
  timedatectl: 'timedatectl show',
  ntpq: 'ntpq -c rv',
  end: 'date +%s.%N',
};

/**
 * What the host's own service says: synchronised by whom; `local`: to nobody but its own clock, which it holds to be
 * right; or why it is not.
 */
export type TimeService =
  | { readonly state: 'synchronised'; readonly by: string }
  | { readonly state: 'local'; readonly by: string }
  | { readonly state: 'not'; readonly why: string };

/**
 * Where chronyd answers, it alone is asked: the kernel goes by what chronyd last told it. Else what the kernel knows by
 * timedatectl (PTP, too), then ntpd.
 */
export function readTimeService(answers: Answers): TimeService {
  const said = [timedatectl(answers), ntpq(answers)].filter((each) => each !== undefined);
  return (
    chrony(answers) ??
    said.find(({ state }) => state === 'synchronised') ??
    said.find(({ state }) => state === 'local') ??
    said[0] ?? { state: 'not', why: 'neither chronyc, timedatectl nor ntpq says anything' }
  );
}

/** How old the time of chronyd's last reference may be at least, in seconds; and how many of its intervals. */
const MOST_AGE = 3600;
const MOST_INTERVALS = 10;

/**
 * `C0A80001,192.168.0.1,3,1712345678.1,0.0001,…,64.2,Normal`: of the reference its id, name, stratum and time, last the
 * interval between two updates and the leap status. Its own clock has the reference 7F7F0101. A chronyd that has lost
 * every server keeps reference and status: only the time of the reference tells.
 */
function chrony({ chronyc, begin }: Answers): TimeService | undefined {
  const fields = chronyc?.text.split('\n')[0]?.split(',') ?? [];
  if (chronyc?.exit !== 0 || fields.length < 14) return undefined;
  const [reference = '', source, stratum, time] = fields;
  if (fields.at(-1) === 'Not synchronised' || /^0*$/.test(reference)) {
    return { state: 'not', why: 'chronyd runs, and is not synchronised to any source' };
  }
  if (reference.toUpperCase() === '7F7F0101') return { state: 'local', by: "chronyd's own clock" };
  const named = `source ${source || reference}`;
  const age = Number.parseFloat(begin?.text ?? '') - Number(time);
  if (age > Math.max(MOST_AGE, MOST_INTERVALS * Number(fields.at(-2)))) {
    return {
      state: 'not',
      why: `chronyd has heard nothing from ${named} for ${Math.round(age / 60)} min, nor from another`,
    };
  }
  return { state: 'synchronised', by: `chronyd, ${named}, stratum ${stratum}` };
}

function timedatectl({ timedatectl: answer }: Answers): TimeService | undefined {
  const value = (key: string): string | undefined =>
    new RegExp(`^${key}=(.*)$`, 'm').exec(answer?.text ?? '')?.[1]?.trim();
  const synchronised = value('NTPSynchronized');
  if (answer?.exit !== 0 || synchronised === undefined) return undefined;
  if (synchronised === 'yes') return { state: 'synchronised', by: 'what the kernel says (timedatectl)' };
  return {
    state: 'not',
    why:
      value('NTP') === 'yes'
        ? 'its time service is on, and has not synchronised the clock'
        : 'no time service of its own is on (timedatectl)',
  };
}

/** `associd=0 status=0615 leap_none, sync_ntp, …, leap=00, stratum=3, …, refid=192.168.0.1, …`. */
function ntpq({ ntpq: answer }: Answers): TimeService | undefined {
  const text = answer?.text ?? '';
  if (answer?.exit !== 0 || !/\bassocid=/.test(text)) return undefined;
  const refid = /\brefid=([^,\s]+)/.exec(text)?.[1] ?? '';
  if (/\b(leap_alarm|sync_unspec)\b|\bleap=(11|3)\b|\bstratum=16\b/.test(text)) {
    return { state: 'not', why: 'ntpd runs, and is not synchronised to any source' };
  }
  if (/\bsync_local\b/.test(text) || /^(LOCL?|127\.127\.1\.)/.test(refid)) {
    return { state: 'local', by: "ntpd's own clock" };
  }
  return { state: 'synchronised', by: `ntpd, source ${refid}` };
}

/**
 * Whether the service of a host says that its time is right. One controller of several may be the clock that the
 * others go by.
 */
export function judgeTimeService(own: TimeService, others: ReadonlyMap<string, TimeService>): HostFinding[] {
  if (own.state === 'synchronised') return [];
  if (own.state === 'not') {
    return [
      {
        message: `Its time is not in sync: ${own.why}.`,
        correction:
          'Give it a time server (`server … iburst` in /etc/chrony/chrony.conf or /etc/chrony.conf) and run `systemctl enable --now chrony` (chronyd on RHEL).',
      },
    ];
  }
  const alsoLocal = [...others].find(([, { state }]) => state === 'local')?.[0];
  if (alsoLocal === undefined && others.size > 0) return [];
  return [
    {
      message: `It goes by ${own.by}${alsoLocal === undefined ? ', and there is no other host to compare it with' : `, and so does ${alsoLocal}: nothing holds the two together`}.`,
      correction: 'Give it a time server that is not itself: `server … iburst` in its chrony.conf.',
    },
  ];
}
