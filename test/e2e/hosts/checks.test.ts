import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../../activities/gates/index.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { CheckResult } from '../../../core/acceptance/report.ts';
import { noChronyd, noHosts } from '../../peers/host.ts';
import { freePort } from '../../peers/peer.ts';
import { keyPair, publicKey } from '../../peers/sshd.ts';
import { finding, secret, startHostSite, type HostSite } from './site.ts';

// Single checks of gate 1, against hosts that are logged in to over OpenSSH's own server.

let site: HostSite;

const missing = noHosts();
const title = missing === undefined ? 'a check of hosts' : `a check of hosts (${missing})`;

describe.skipIf(missing !== undefined && process.env['CI'] === undefined)(title, () => {
  beforeAll(async () => {
    site = await startHostSite();
  });
  afterAll(() => site?.stop());

  const theController = (changes: object): Inventory => ({
    ...site.inventory,
    controllers: [{ ...site.inventory.controllers[0]!, ...changes }],
  });
  /** One check by itself, of a contract of its own. */
  const checked = (id: string, inventory: Inventory): Promise<CheckResult> => {
    const { run } = GATE_CHECKS.find(({ check: each }) => each.id === id)!;
    const input = { site: 'test', runId: 'alone', contractHash: '', gate: 1, check: id, run: 1 } as const;
    return run({
      input,
      // Nothing of it is asked for: what a check needs is beside it.
      site: undefined as never,
      inventory,
      signal: new AbortController().signal,
      secret: async (reference) => secret(reference),
      evidence: async (name) => ({ id: name, name, sha256: '', bytes: 0 }),
    });
  };

  it('tells a host that cannot be asked from one that says no', async () => {
    const { ssh } = site.inventory.controllers[0]!;
    const other = await keyPair(site.folder, 'other');
    const cases: readonly (readonly [object, CheckResult['outcome'], string, string])[] = [
      [{ ssh: { ...ssh, key: `file:${other}` } }, 'fail', 'SSH_AUTH_FAILED', 'control-host'],
      [{ ssh: { ...ssh, hostKey: publicKey(other) } }, 'fail', 'SSH_HOST_KEY_MISMATCH', 'control-host'],
      [{ ssh: { ...ssh, port: await freePort() } }, 'fail', 'SSH_REFUSED', 'control-host'],
      [{ ssh: undefined }, 'fail', 'CONTRACT_INVALID', 'contract'],
      [{ ssh: { ...ssh, host: 'nobody.invalid' } }, 'error', 'SSH_UNREACHABLE', 'management-network'],
    ];
    for (const [changes, outcome, code, faultDomain] of cases) {
      const inventory = theController(changes);
      const access = await checked('management-access', inventory);
      expect([access.outcome, access.findings[0]?.failure.code]).toEqual([outcome, code]);
      expect(access.findings[0]!.failure.faultDomain).toBe(faultDomain);
      if (outcome === 'error') continue;
      // To every other check it is a host that cannot be asked.
      const disks = await checked('disks', inventory);
      expect([disks.outcome, disks.findings[0]?.failure.code]).toEqual(['error', code]);
    }
  });

  it('finds that nobody has the address of a gateway, and that somebody has it again', async () => {
    const inventory = theController({});
    await site.network.run('ip addr del 192.0.2.1/24 dev br0');
    await site.hosts.c1.run('ip neigh flush all');
    expect(await checked('routes', inventory)).toMatchObject({
      outcome: 'fail',
      findings: [
        finding('c1', 'management-network', /Nobody on the link has the address of the gateway of control/),
      ],
    });
    await site.network.run('ip addr add 192.0.2.1/24 dev br0');
    expect(await checked('routes', inventory)).toMatchObject({ outcome: 'pass' });
  });

  it('tells a name that the host does not find from an address that it does not reach', async () => {
    const inventory = theController({ reaches: [{ host: 'nobody.invalid', port: 443 }] });
    expect(await checked('routes', inventory)).toMatchObject({
      outcome: 'error',
      findings: [
        finding(
          'c1',
          'control-host',
          /finds no address for the name of what it has to reach \(nobody\.invalid:443\)/,
          'HOST_NAME_UNRESOLVED',
        ),
      ],
    });
  });

  it('tells a clock that is off from a way that takes too long to tell', async () => {
    const bound = (clockDifference: number): Inventory => ({
      ...site.inventory,
      acceptance: { clockDifference },
    });
    site.hosts.c2.program('date', 'exec /bin/date -d "now + 3600 seconds" "$@"');
    const off = await checked('time-in-sync', bound(60));
    expect(off.findings).toMatchObject([
      finding('c1', 'control-host', /clock is 3[56]\d\d s behind that of c2/),
      finding('c2', 'control-host', /clock is 3[56]\d\d s ahead of the worker's; 60 s are allowed/),
      finding('c2', 'control-host', /ahead of that of c1/),
    ]);
    site.hosts.c2.program('date', 'exec /bin/date "$@"');
    expect(await checked('time-in-sync', bound(0.000_001))).toMatchObject({
      outcome: 'error',
      findings: [{ failure: { code: 'HOST_CLOCK_UNSURE' } }, { failure: { code: 'HOST_CLOCK_UNSURE' } }],
    });
    expect(await checked('time-in-sync', bound(60))).toMatchObject({ outcome: 'pass' });
  });

  it.skipIf(noChronyd() !== undefined && process.env['CI'] === undefined)(
    'believes chronyd that has a source, or is the one that others go by, and not one that has none',
    async () => {
      const { c1, c2 } = site.hosts;
      const inventory = { ...site.inventory, acceptance: { clockDifference: 60 } };
      await c1.chronyd('local stratum 8\nallow all');
      await c2.chronyd('server 192.0.2.11 iburst minpoll 0 maxpoll 0');
      await c1.until(`chronyc -n -c tracking | grep -q '^7F7F0101,.*,Normal$'`);
      await c2.until(`chronyc -n -c tracking | grep -q '^C000020B,192.0.2.11,9,.*,Normal$'`);
      expect(await checked('time-in-sync', inventory)).toMatchObject({ outcome: 'pass' });
      const alone = { ...inventory, controllers: inventory.controllers.slice(0, 1) };
      expect((await checked('time-in-sync', alone)).findings).toMatchObject([
        finding('c1', 'control-host', /goes by chronyd's own clock, and there is no other host/),
      ]);
      await c1.endServices();
      expect((await checked('time-in-sync', alone)).findings).toMatchObject([
        finding('c1', 'control-host', /not in sync: neither chronyc/),
      ]);
      await c1.chronyd('server 192.0.2.77 iburst');
      await c1.until('chronyc -n -c tracking');
      expect((await checked('time-in-sync', alone)).findings).toMatchObject([
        finding('c1', 'control-host', /not in sync: chronyd runs, and is not synchronised to any source/),
      ]);
    },
  );

  it('tells a cable that is out from an interface that is down', async () => {
    const inventory = theController({});
    const { c1 } = site.hosts;
    const port = c1.portOf('enp2s0');
    await site.network.run(`ip link set ${port} down`);
    expect((await checked('interfaces', inventory)).findings).toMatchObject([
      finding('c1', 'control-host', /enp2s0 has no carrier/),
    ]);
    await c1.run('ip link set enp2s0 down');
    expect((await checked('interfaces', inventory)).findings).toMatchObject([
      finding('c1', 'control-host', /enp2s0 is down/),
    ]);
    await site.network.run(`ip link set ${port} up`);
    await c1.run('ip link set enp2s0 up');
    expect(await checked('interfaces', inventory)).toMatchObject({ outcome: 'pass' });
  });

  it('finds a name that the kernel counted, and two hosts that are one machine', async () => {
    // Nobody says how the interface is to be called: the kernel counts.
    await site.hosts.c1.run('ip link add type veth');
    const counted = theController({ interfaces: [{ name: 'veth0' }] });
    expect((await checked('interfaces', counted)).findings).toMatchObject([
      finding('c1', 'control-host', /veth0 is down/),
      finding('c1', 'control-host', /veth0 is a name that the kernel gave/),
    ]);
    await site.hosts.c1.run('ip link del veth0');
    const [c1, c2] = site.inventory.controllers;
    const twice = { ...site.inventory, controllers: [c1!, { ...c2!, ssh: c1!.ssh }] };
    expect((await checked('host-identity', twice)).findings).toMatchObject([
      finding('c1', 'contract', /It and c2 are the same machine/),
      finding('c2', 'contract', /It and c1 are the same machine/),
      finding('c2', 'control-host', /static host name is c1, and the contract says c2/),
    ]);
  });

  it('lacks nothing where a host lacks what is optional, and tells what it lacks where it is needed', async () => {
    const inventory = theController({});
    site.hosts.c1.program('lspci', 'exit 127');
    expect(await checked('hardware-inventory', inventory)).toMatchObject({
      outcome: 'pass',
      summary: expect.stringMatching(/^recorded, without lspci/),
    });
    site.hosts.c1.program('lsblk', 'exit 127');
    expect(await checked('disks', inventory)).toMatchObject({
      outcome: 'error',
      findings: [finding('c1', 'control-host', /has no `lsblk`/, 'HOST_ANSWER_INVALID')],
    });
  });
});
