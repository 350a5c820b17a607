import { describe, expect, it } from 'vitest';
import {
  judgeServices,
  readHypervisors,
  readServices,
  toldOf,
  type ComputeService,
  type Hypervisor,
  type WantedService,
} from '../../../core/openstack/compute-services.ts';

const service = (binary: string, host: string, over: Partial<ComputeService> = {}): ComputeService => ({
  binary,
  host,
  enabled: true,
  up: true,
  forcedDown: false,
  reason: '',
  reportedAt: '2026-03-01T12:00:00.000000',
  ...over,
});
const CONDUCTOR = service('nova-conductor', 'c1');
const SCHEDULER = service('nova-scheduler', 'c1');
const BASE = [CONDUCTOR, SCHEDULER];
const hypervisor = (host: string, type: string): Hypervisor => ({ id: host, name: host, type, host });
const COMPUTE: WantedService = { binary: 'nova-compute', host: 'k1' };

describe('services of Nova', () => {
  it.each<[string, WantedService[], ComputeService[], Hypervisor[], string[]]>([
    ['are those of a new cloud', [], BASE, [], []],
    ['are all of the contract', [COMPUTE], [...BASE, service('nova-compute', 'k1')], [], []],
    [
      'lack a conductor, whatever the contract says',
      [{ binary: 'nova-conductor', host: 'c1' }],
      [SCHEDULER],
      [],
      ['Nova has no nova-conductor: none has ever registered.'],
    ],
    [
      'lack one of the contract',
      [COMPUTE],
      [...BASE, service('nova-compute', 'k2')],
      [],
      ['Nova has no nova-compute on k1; there is: k2.'],
    ],
    [
      'lack a kind of the contract',
      [COMPUTE],
      BASE,
      [],
      ['Nova has no nova-compute on k1; there is none of that kind.'],
    ],
    [
      'have a conductor that is down',
      [],
      [service('nova-conductor', 'c1', { up: false }), SCHEDULER],
      [],
      ['nova-conductor on c1 is down: it reported last at 2026-03-01T12:00:00.000000 UTC.'],
    ],
    [
      'have one down that the contract names, told once',
      [COMPUTE],
      [...BASE, service('nova-compute', 'k1', { up: false, reportedAt: '' })],
      [],
      ['nova-compute on k1 is down: it has never reported.'],
    ],
    [
      'have one that somebody has called down',
      [],
      [...BASE, service('nova-compute', 'k1', { up: false, forcedDown: true })],
      [],
      ['nova-compute on k1 is down, since somebody has said so (forced down).'],
    ],
    [
      'have one disabled that the contract names',
      [COMPUTE],
      [...BASE, service('nova-compute', 'k1', { enabled: false, reason: 'maintenance' })],
      [],
      ['nova-compute on k1 is disabled (maintenance): it is given no work.'],
    ],
    [
      'have one disabled and off that the contract does not name',
      [],
      [...BASE, service('nova-compute', 'k1', { enabled: false, up: false })],
      [],
      [],
    ],
    [
      'have a compute of another kind',
      [{ ...COMPUTE, hypervisor: 'QEMU' }],
      [...BASE, service('nova-compute', 'k1')],
      [hypervisor('k1', 'fake')],
      ['The hypervisor of nova-compute on k1 is of type fake; the contract says QEMU.'],
    ],
    [
      'have a compute without a hypervisor',
      [{ ...COMPUTE, hypervisor: 'QEMU' }],
      [...BASE, service('nova-compute', 'k1')],
      [hypervisor('k2', 'QEMU')],
      ['nova-compute on k1 has no hypervisor; the contract says QEMU.'],
    ],
    [
      'have a compute of Ironic, which has no nodes yet',
      [{ ...COMPUTE, hypervisor: 'ironic' }],
      [...BASE, service('nova-compute', 'k1')],
      [],
      [],
    ],
  ])('that %s', (_what, wanted, services, hypervisors, messages) => {
    expect(judgeServices(wanted, services, hypervisors).map(({ message }) => message)).toEqual(messages);
  });

  it('are missed where all of a kind are down, disabled or not', () => {
    const off = service('nova-scheduler', 'c1', { enabled: false, up: false });
    const told = ['nova-scheduler on c1 is down: it reported last at 2026-03-01T12:00:00.000000 UTC.'];
    const messages = (wanted: WantedService[], services: ComputeService[]) =>
      judgeServices(wanted, services, []).map(({ message }) => message);
    expect(messages([], [CONDUCTOR, off])).toEqual(told);
    expect(messages([{ binary: 'nova-scheduler', host: 'c1' }], [CONDUCTOR, off])).toEqual(told);
    expect(messages([], [...BASE, { ...off, host: 'c2' }])).toEqual([]);
  });

  it('are corrected by one command', () => {
    const off = service('nova-compute', 'k1', { enabled: false });
    const forced = service('nova-compute', 'k2', { up: false, forcedDown: true });
    expect(judgeServices([COMPUTE], [...BASE, off, forced], []).map(({ correction }) => correction)).toEqual([
      'openstack compute service set --enable k1 nova-compute',
      'When its host is well: openstack compute service set --up k2 nova-compute',
    ]);
  });

  it('are told in words, with what is off and what nobody named', () => {
    const all = [...BASE, service('nova-compute', 'k1'), service('nova-compute', 'k2', { enabled: false })];
    expect(toldOf([], BASE)).toBe('1 nova-conductor up, 1 nova-scheduler up, 0 nova-compute up');
    expect(toldOf([COMPUTE, ...BASE], all)).toBe(
      '1 nova-conductor up, 1 nova-scheduler up, 2 nova-compute up; disabled: nova-compute on k2; not in the contract: nova-compute on k2',
    );
  });

  it('are read as Nova lists them', () => {
    expect(
      readServices([
        {
          id: 'x',
          binary: 'nova-compute',
          host: 'peer',
          zone: 'nova',
          status: 'disabled',
          state: 'down',
          updated_at: '2026-12-01T01:00:00.000000',
          disabled_reason: 'AUTO: Connection to libvirt lost: 1',
          forced_down: false,
        },
      ]),
    ).toEqual([
      {
        binary: 'nova-compute',
        host: 'peer',
        enabled: false,
        up: false,
        forcedDown: false,
        reason: 'AUTO: Connection to libvirt lost: 1',
        reportedAt: '2026-12-01T01:00:00.000000',
      },
    ]);
    expect(
      readHypervisors([
        {
          id: 'u-1',
          hypervisor_hostname: 'node-uuid',
          hypervisor_type: 'ironic',
          state: 'up',
          service: { id: 's', host: 'peer-ironic', disabled_reason: null },
        },
      ]),
    ).toEqual([{ id: 'u-1', name: 'node-uuid', type: 'ironic', host: 'peer-ironic' }]);
  });
});
