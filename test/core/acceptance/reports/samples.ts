import { GATES, type GateNumber } from '../../../../core/acceptance/gates.ts';
import type {
  AcceptanceReport,
  CheckFinding,
  CheckReport,
  GateReport,
} from '../../../../core/acceptance/report.ts';
import { failure } from '../../../../core/errors/failure.ts';

/** Reports as runs leave them, for the tests of what is made of reports. */

const HASH = 'a'.repeat(64);
const START = Date.parse('2026-11-30T03:00:00.000Z');
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

const TITLES: readonly string[] = [
  'Passwordless automation reaches every controller',
  'Time is in sync',
  'Storage devices have the owner that is meant',
];

/** A check that passed, `seconds` after the run began. */
export const passed = (id: string, title: string, seconds: number, took = 3): CheckReport => ({
  id,
  title,
  from: 'worker',
  state: 'done',
  outcome: 'pass',
  summary: '3: reached and logged in to',
  findings: [],
  targets: 3,
  startedAt: at(seconds),
  endedAt: at(seconds + took),
  evidence: [{ id: `lab/_acceptance/run-1/0001-${id}.c1`, name: 'c1', sha256: HASH, bytes: 512 }],
});

export const skipped = (id: string, title: string): CheckReport => ({
  id,
  title,
  from: 'worker',
  state: 'done',
  outcome: 'skipped',
  summary: 'the contract has no Ceph',
});

export const finding = (target: string, message: string, correction: string): CheckFinding => ({
  target,
  failure: failure('CHECK_FAILED', message, { correction, faultDomain: 'kubernetes', details: { target } }),
});

/** A gate that is over, with two checks, at its place in the run. */
export function green(gate: GateNumber, over: Partial<GateReport> = {}): GateReport {
  const { id, title, owner } = GATES[gate - 1]!;
  const begins = (gate - 1) * 20;
  return {
    gate,
    id,
    title,
    owner,
    state: 'done',
    outcome: 'pass',
    startedAt: at(begins),
    endedAt: at(begins + 12),
    runs: 1,
    checks: TITLES.map((each, index) =>
      gate === 2 && index === 2
        ? skipped('ceph-health', 'Ceph says itself that it is healthy')
        : passed(`check-${gate}-${index}`, `${each} (${title})`, begins + index, 4 + index * 3),
    ),
    ...over,
  };
}

/** A gate that did not run. */
export function heldBack(gate: GateNumber): GateReport {
  const { checks, startedAt: _started, endedAt: _ended, outcome: _outcome, ...rest } = green(gate);
  return {
    ...rest,
    state: 'held-back',
    runs: 0,
    checks: checks.map(({ id, title, from }) => ({ id, title, from, state: 'held-back' })),
  };
}

export const PASSING: AcceptanceReport = {
  site: 'lab',
  runId: 'run-1',
  startedAt: at(0),
  endedAt: at(140),
  held: false,
  outcome: 'pass',
  gates: [1, 2, 3, 4, 5, 6, 7].map((gate) => green(gate as GateNumber)),
  notes: [],
  contractHash: 'c'.repeat(64),
  fingerprint: 'f'.repeat(64),
  evidence: [
    { id: 'lab/_acceptance/run-1/0020-acceptance.report', name: 'report', sha256: HASH, bytes: 9000 },
  ],
  signature: { signed: true, keyId: 'd'.repeat(64), algorithm: 'ed25519' },
};

const CLOSED = 'It is outside of the maintenance windows; the next opens Tue 2026-12-01 01:00.';

/** Passed outside of the maintenance windows: gate 7 was left out. */
export const LEFT_OUT: AcceptanceReport = {
  ...PASSING,
  gates: PASSING.gates.map((gate): GateReport => {
    if (gate.gate !== 7) return gate;
    const { startedAt: _none, ...rest } = gate;
    return {
      ...rest,
      outcome: 'skipped',
      leftOut: CLOSED,
      checks: gate.checks.map(({ id, title, from }) => ({
        id,
        title,
        from,
        state: 'done',
        outcome: 'skipped',
        summary: CLOSED,
      })),
    };
  }),
};

const FAILED: CheckReport = {
  id: 'system-pods',
  title: 'No system pod is pending or restarts again and again',
  from: 'kubernetes API',
  state: 'done',
  outcome: 'fail',
  summary: '1 failed, 2 passed',
  findings: [
    finding(
      'kube-system/coredns-7d9f',
      'CrashLoopBackOff, 14 restarts in the last hour; the last exit was 137 (OOMKilled). Expected: Running, with fewer than 3.',
      'Raise the memory limit of deployment `coredns` in `kube-system`: `kubectl -n kube-system edit deployment coredns`.',
    ),
  ],
  targets: 3,
  startedAt: at(20),
  endedAt: at(26),
  evidence: [
    { id: 'lab/_acceptance/run-1/0007-system-pods.coredns', name: 'coredns', sha256: HASH, bytes: 2100 },
  ],
};

const ERRED: CheckReport = {
  id: 'claims-bound',
  title: 'Every claim is bound',
  from: 'kubernetes API',
  state: 'done',
  outcome: 'error',
  summary: 'it could not be told',
  findings: [
    {
      target: '',
      failure: failure('CHECK_TIMEOUT', 'Every claim is bound: it did not come to an end in its time.', {
        faultDomain: 'kubernetes',
      }),
    },
  ],
  targets: 0,
  startedAt: at(20),
  endedAt: at(32),
  evidence: [],
};

/** Stopped at gate 2 by a check that failed, beside one that could not be told. */
export const FAILING: AcceptanceReport = {
  ...PASSING,
  outcome: 'fail',
  stoppedAt: 2,
  failure: FAILED.findings![0]!.failure,
  endedAt: at(33),
  gates: [
    green(1),
    {
      ...green(2),
      outcome: 'fail',
      checks: [
        passed('nodes-ready', 'Every controller is Ready', 20),
        FAILED,
        ERRED,
        skipped('ceph-health', 'Ceph'),
      ],
    },
    ...[3, 4, 5, 6, 7].map((gate) => heldBack(gate as GateNumber)),
  ],
  signature: { signed: false, why: 'The contract names no key: `acceptance.signingKey`.' },
};

/** Held at the same place. */
export const HELD: AcceptanceReport = (({ outcome: _outcome, endedAt: _end, signature: _none, ...rest }) => ({
  ...rest,
  held: true,
  gates: [
    ...rest.gates.slice(0, 2),
    ...[3, 4, 5, 6, 7].map((gate): GateReport => {
      const back = heldBack(gate as GateNumber);
      return {
        ...back,
        state: 'pending',
        checks: back.checks.map((each) => ({ ...each, state: 'pending' })),
      };
    }),
  ],
  notes: ['2026-11-30T03:00:40.000Z A resume was refused: resume: from must be a gate.'],
}))(FAILING);

const LONG = 'x'.repeat(300);

/** Ten findings whose texts are long, and come from whoever wants to harm who reads them. */
export const HOSTILE: AcceptanceReport = {
  ...FAILING,
  gates: FAILING.gates.map((gate) =>
    gate.gate !== 2
      ? gate
      : {
          ...gate,
          checks: [
            {
              ...FAILED,
              findings: Array.from({ length: 10 }, (_, index) =>
                finding(
                  `ns-${index}/<img src=x onerror=alert(1)>`,
                  `"><script>alert(${index})</script> \u202eevil\u202c ${LONG} ]]> & &amp; \u0007 ${'It waits for a node that has room. '.repeat(index)}`,
                  index < 4
                    ? 'Give the cluster `another <b>node</b>`.'
                    : `Look into pod ${index}: \`kubectl describe pod ${index}\`, and correct what its events name.`,
                ),
              ),
            },
            ...gate.checks.slice(2),
          ],
        },
  ),
};

/** Resumed after a hold of two days; gate 1 has evidence of another run, gate 2 ran again. */
export const KEPT: AcceptanceReport = {
  ...PASSING,
  endedAt: at(172_940),
  gates: PASSING.gates.map((gate): GateReport => {
    if (gate.gate === 1) return { ...gate, kept: { runId: 'run-0', endedAt: '2026-11-29T03:00:12.000Z' } };
    if (gate.gate === 2) return { ...gate, kept: { runId: 'run-1', endedAt: gate.endedAt! } };
    const later = (time: string): string => new Date(Date.parse(time) + 172_800_000).toISOString();
    return {
      ...gate,
      runs: gate.gate === 3 ? 3 : 1,
      startedAt: later(gate.startedAt!),
      endedAt: later(gate.endedAt!),
      checks: gate.checks.map((each) =>
        each.startedAt === undefined
          ? each
          : { ...each, startedAt: later(each.startedAt), endedAt: later(each.endedAt!) },
      ),
    };
  }),
};

/** Ended before its first check. */
export const UNOPENED: AcceptanceReport = {
  site: 'lab',
  runId: 'run-2',
  startedAt: at(0),
  endedAt: at(1),
  held: false,
  outcome: 'fail',
  failure: failure(
    'EVIDENCE_OUTDATED',
    'The evidence of run run-1 is not used again: the contract has changed since.',
  ),
  gates: [],
  notes: [],
  evidence: [],
};
