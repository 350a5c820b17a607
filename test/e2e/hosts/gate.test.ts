import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../../activities/gates/index.ts';
import type { GateCheck } from '../../../activities/gates/check.ts';
import { AcceptanceRuns } from '../../../client/sdk/acceptance.ts';
import { check } from '../../../core/acceptance/check.ts';
import type { AcceptanceReport } from '../../../core/acceptance/report.ts';
import { acceptanceWorkflowId } from '../../../core/names.ts';
import { noHosts } from '../../peers/host.ts';
import { shownFailing } from '../../support/shown.ts';
import { createLocalEnvironment } from '../../support/temporal.ts';
import { House, SITE, until } from '../../workflows/support.ts';
import {
  finding,
  HOSTS,
  lsblk,
  secret,
  startHostSite,
  SUDOERS,
  SYNCED,
  UNSYNCED,
  type HostSite,
} from './site.ts';

// Gate 1 against hosts that are logged in to over OpenSSH's own server.

let site: HostSite;
let house: House;
let runs: AcceptanceRuns;
/** How often the gate after it ran. */
let later = 0;

const LATER: GateCheck = {
  check: check({
    id: 'later',
    gate: 2,
    title: 'What comes after hosts',
    shows: 'It was its turn.',
    from: 'worker',
    faultDomain: 'kubernetes',
  }),
  run: async () => {
    later += 1;
    return { outcome: 'pass', summary: 'fine', findings: [], targets: 1, evidence: [] };
  },
};

const missing = noHosts();
const shown = shownFailing('hosts behind OpenSSH', [
  'management-access',
  'host-identity',
  'name-resolution',
  'time-in-sync',
  'interfaces',
  'disks',
  'routes',
]);
const title = missing === undefined ? 'gate 1' : `gate 1 (${missing})`;

describe.skipIf(missing !== undefined && process.env['CI'] === undefined)(title, () => {
  beforeAll(async () => {
    site = await startHostSite();
    house = await House.build(await createLocalEnvironment());
    await house.stopWorkers('activities');
    house.checks = [...GATE_CHECKS.filter(({ check: { gate } }) => gate === 1), LATER];
    house.inventory = site.inventory;
    // The run begins with the first fault; each of the others is made when the one before is mended.
    await FAULTS[0]!.make();
    house.site = { ...house.site, secret: async (reference) => secretOf(reference) };
    await house.startActivities();
    runs = new AcceptanceRuns(house.environment.client, SITE);
  });
  afterAll(async () => {
    try {
      await house?.close();
      await house?.environment.teardown();
    } finally {
      await site?.stop();
    }
  });

  const handle = (runId: string) => house.client.getHandle(acceptanceWorkflowId(SITE, runId));
  const heldAfter = async (runId: string, gateRuns: number): Promise<AcceptanceReport> => {
    const there = async (): Promise<boolean> => {
      const { held, gates } = await runs.report(runId);
      return held && gates[0]!.runs === gateRuns;
    };
    await until(there, { seconds: 120, what: `hold ${gateRuns} of ${runId}` });
    return runs.report(runId);
  };
  const outcomes = (report: AcceptanceReport) =>
    Object.fromEntries(report.gates[0]!.checks.map(({ id, outcome }) => [id, outcome]));

  it('stops at each fault, by the one check that it is for, and goes on when it is corrected', async () => {
    const { runId } = await runs.start({});
    let times = 0;
    for (const { what, check: id, wrong, mend } of FAULTS) {
      times += 1;
      const report = await heldAfter(runId, times);
      expect({ what, ...outcomes(report) }).toEqual({ what, ...ALL_PASS, [id]: 'fail' });
      const { findings } = report.gates[0]!.checks.find((each) => each.id === id)!;
      expect({ what, findings }).toMatchObject({ what, findings: [wrong] });
      expect(report).toMatchObject({ stoppedAt: 1, failure: wrong.failure });
      expect([report.gates[1]!.state, later]).toEqual(['pending', 0]);
      if (id !== 'bmc-access') shown(id);
      await mend();
      const next = FAULTS[times];
      if (next === undefined) break;
      await next.make();
      await runs.control(runId, 'resume', {});
    }
    // What cannot be told is neither right nor wrong, and stops the run all the same.
    site.hosts.c1.hangUp(true);
    await runs.control(runId, 'resume', {});
    times += 1;
    const unsure = await heldAfter(runId, times);
    const errors = Object.keys(ALL_PASS).map((id) => [id, id === 'bmc-access' ? 'pass' : 'error']);
    expect(outcomes(unsure)).toEqual(Object.fromEntries(errors));
    expect(unsure).toMatchObject({ stoppedAt: 1, failure: { code: 'SSH_HANDSHAKE_FAILED' } });
    expect(unsure.gates[0]!.outcome).toBe('error');
    site.hosts.c1.hangUp(false);
    await runs.control(runId, 'resume', {});

    const report = (await handle(runId).result()) as AcceptanceReport;
    expect(report.outcome).toBe('pass');
    expect(outcomes(report)).toEqual(ALL_PASS);
    expect([report.gates[0]!.runs, later]).toEqual([times + 1, 1]);
  });
});

const ALL_PASS = Object.fromEntries(
  GATE_CHECKS.filter(({ check: { gate } }) => gate === 1).map(({ check: { id } }) => [id, 'pass']),
);

interface Fault {
  readonly what: string;
  readonly check: string;
  readonly wrong: { readonly target: string; readonly failure: object };
  make(): Promise<void> | void;
  mend(): Promise<void> | void;
}

let password: string | undefined;
const secretOf = (reference: string): string => (/password/.test(reference) && password) || secret(reference);

const FAULTS: readonly Fault[] = [
  {
    what: 'root needs a password',
    check: 'management-access',
    wrong: finding('c2', 'control-host', /does not become root without a password: .*password is required/),
    make: () => site.hosts.c2.etc('sudoers', SUDOERS.replace('NOPASSWD: ', '')),
    mend: () => site.hosts.c2.etc('sudoers', SUDOERS),
  },
  {
    what: 'the host name in use is not the static one',
    check: 'host-identity',
    wrong: finding('c2', 'control-host', /calls itself dhcp-7, and its static host name is c2/),
    make: () => site.hosts.c2.run('hostname dhcp-7'),
    mend: () => site.hosts.c2.run('hostname c2'),
  },
  {
    what: 'the name of another is that of itself',
    check: 'name-resolution',
    wrong: finding('c1', 'control-host', /finds the name c2 at 127.0.1.1, .* says 192.0.2.12/),
    make: () => site.hosts.c1.etc('hosts', HOSTS.replace('192.0.2.12', '127.0.1.1')),
    mend: () => site.hosts.c1.etc('hosts', HOSTS),
  },
  {
    what: 'chrony has no source',
    check: 'time-in-sync',
    wrong: finding('c1', 'control-host', /not in sync: chronyd runs, and is not synchronised/),
    make: () => site.hosts.c1.program('chronyc', `echo '${UNSYNCED}'`),
    mend: () => site.hosts.c1.program('chronyc', `echo "${SYNCED}"`),
  },
  {
    what: 'an interface is renamed',
    check: 'interfaces',
    wrong: finding('c2', 'control-host', /no interface enp2s0; the one with .*:20:12 is called eth7/),
    make: () => site.hosts.c2.run('ip link set enp2s0 down; ip link set enp2s0 name eth7 up'),
    mend: () => site.hosts.c2.run('ip link set eth7 down; ip link set eth7 name enp2s0 up'),
  },
  {
    what: "somebody else's file system is on a disk of Ceph",
    check: 'disks',
    wrong: finding('c2', 'storage', /belongs to ceph by the contract, and .*sdb on it has ext4/),
    make: () => lsblkOf(lsblk({ fstype: 'ext4' })),
    mend: () => lsblkOf(lsblk()),
  },
  {
    what: 'a BMC is not reached from a host',
    check: 'routes',
    wrong: finding('c1', 'bmc', /is refused by the BMC of c1/),
    make: () => site.hosts.c1.service(site.bmc.address, site.bmc.port, false),
    mend: () => site.hosts.c1.service(site.bmc.address, site.bmc.port, true),
  },
  {
    what: 'a BMC does not take the password',
    check: 'bmc-access',
    wrong: finding('controller c1', 'contract', /refuses the credentials/, 'BMC_AUTH_FAILED'),
    make: () => void (password = 'wrong'),
    mend: () => void (password = undefined),
  },
];

const lsblkOf = (text: string): void => site.hosts.c2.program('lsblk', `cat <<'END'\n${text}\nEND`);
