import type { Found } from './found.ts';
import { field, text } from './read.ts';

/** A service of Nova that the contract names. */
export interface WantedService {
  readonly binary: string;
  readonly host: string;
  /** The type of its hypervisors, as Nova tells it: `QEMU`, `ironic`. */
  readonly hypervisor?: string | undefined;
}

/** A service, as Nova lists it. */
export interface ComputeService {
  readonly binary: string;
  readonly host: string;
  readonly enabled: boolean;
  readonly up: boolean;
  readonly forcedDown: boolean;
  readonly reason: string;
  /** By the clock of Nova; empty: never. */
  readonly reportedAt: string;
}

/** What servers are put on: a host, or a node of Ironic. */
export interface Hypervisor {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly host: string;
}

export const COMPUTE = 'nova-compute';
/** Without one of each nothing that Nova takes on is ever done. */
const NEEDED = ['nova-conductor', 'nova-scheduler'] as const;

export const readServices = (rows: readonly unknown[]): ComputeService[] =>
  rows.map((row) => ({
    binary: text(field(row, 'binary')),
    host: text(field(row, 'host')),
    enabled: text(field(row, 'status')) === 'enabled',
    up: text(field(row, 'state')) === 'up',
    forcedDown: field(row, 'forced_down') === true,
    reason: text(field(row, 'disabled_reason')),
    reportedAt: text(field(row, 'updated_at')),
  }));

/** Those of which Nova knows no more than that they are: their cell is down. */
export const untoldServices = (rows: readonly unknown[]): string[] =>
  rows
    .filter((row) => text(field(row, 'status')) === 'UNKNOWN')
    .map((row) => `${text(field(row, 'binary'))} on ${text(field(row, 'host'))}`);

export const readHypervisors = (rows: readonly unknown[]): Hypervisor[] =>
  rows.map((row) => ({
    id: String(field(row, 'id')),
    name: text(field(row, 'hypervisor_hostname')),
    type: text(field(row, 'hypervisor_type')),
    host: text(field(field(row, 'service'), 'host')),
  }));

const isOf = (wanted: Pick<WantedService, 'binary' | 'host'>, { binary, host }: ComputeService): boolean =>
  wanted.binary === binary && wanted.host === host;

/**
 * Whether the services of the contract are there, up and enabled, and of the others those that are enabled are up;
 * and whether computes are of the kind that they are meant to be.
 */
export function judgeServices(
  wanted: readonly WantedService[],
  services: readonly ComputeService[],
  hypervisors: readonly Hypervisor[],
): Found[] {
  return [
    ...NEEDED.filter((binary) => !services.some((each) => each.binary === binary)).map(none),
    ...NEEDED.flatMap((binary) => judgeNeeded(binary, wanted, services)),
    ...wanted.flatMap((each) => judgeWanted(each, services)),
    ...services
      .filter((each) => each.enabled && !each.up && !wanted.some((named) => isOf(named, each)))
      .map(down),
    ...wanted.flatMap((each) => judgeHypervisors(each, services, hypervisors)),
  ];
}

const none = (binary: string): Found => ({
  message: `Nova has no ${binary}: none has ever registered.`,
  correction: `Start ${binary} on a controller; where it runs, look at its log for the message queue and the database.`,
});

/** Where all of a kind are down, and nobody misses them since they are disabled, too. */
function judgeNeeded(
  binary: string,
  wanted: readonly WantedService[],
  services: readonly ComputeService[],
): Found[] {
  const all = services.filter((each) => each.binary === binary);
  const told = all.some((each) => each.up || each.enabled || wanted.some((named) => isOf(named, each)));
  return told ? [] : all.slice(0, 1).map(down);
}

function judgeWanted(wanted: WantedService, services: readonly ComputeService[]): Found[] {
  const { binary, host } = wanted;
  // Of a kind that is missing as a whole has been told.
  if (NEEDED.some((each) => each === binary) && !services.some((each) => each.binary === binary)) return [];
  const found = services.find((each) => isOf(wanted, each));
  if (found === undefined) return [missing(wanted, services)];
  if (!found.up) return [down(found)];
  if (found.enabled) return [];
  const why = found.reason === '' ? '' : ` (${found.reason})`;
  return [
    {
      message: `${binary} on ${host} is disabled${why}: it is given no work.`,
      correction:
        binary === COMPUTE
          ? `openstack compute service set --enable ${host} ${binary}`
          : `Enable it: PUT /os-services/{id} with {"status": "enabled"}; or take it out of \`openstack.compute.services\`.`,
    },
  ];
}

function missing({ binary, host }: WantedService, services: readonly ComputeService[]): Found {
  const others = services.filter((each) => each.binary === binary).map((each) => each.host);
  const there = others.length === 0 ? 'there is none of that kind' : `there is: ${others.join(', ')}`;
  const mapped = binary === COMPUTE ? ', and have Nova look for it (nova-manage cell_v2 discover_hosts)' : '';
  return {
    message: `Nova has no ${binary} on ${host}; ${there}.`,
    correction: `Start ${binary} on ${host}${mapped}; or correct \`openstack.compute.services\`.`,
  };
}

function down({ binary, host, reportedAt, forcedDown }: ComputeService): Found {
  if (forcedDown)
    return {
      message: `${binary} on ${host} is down, since somebody has said so (forced down).`,
      correction: `When its host is well: openstack compute service set --up ${host} ${binary}`,
    };
  const last = reportedAt === '' ? 'it has never reported' : `it reported last at ${reportedAt} UTC`;
  return {
    message: `${binary} on ${host} is down: ${last}.`,
    correction: `Start ${binary} on ${host}; where it runs, look at its log for the message queue and nova-conductor, and at the clock of the host.`,
  };
}

function judgeHypervisors(
  { binary, host, hypervisor }: WantedService,
  services: readonly ComputeService[],
  hypervisors: readonly Hypervisor[],
): Found[] {
  if (hypervisor === undefined || !services.some((each) => isOf({ binary, host }, each))) return [];
  const own = hypervisors.filter((each) => each.host === host);
  // A compute of Ironic has one for each node, and a cloud may have none yet.
  if (own.length === 0 && hypervisor !== 'ironic')
    return [
      {
        message: `${binary} on ${host} has no hypervisor; the contract says ${hypervisor}.`,
        correction: `Look at the log of ${binary} on ${host}: its driver (\`compute_driver\`) does not come up, or Placement refuses it.`,
      },
    ];
  const other = own.find(({ type }) => type !== hypervisor);
  return other === undefined
    ? []
    : [
        {
          message: `The hypervisor of ${binary} on ${host} is of type ${other.type}; the contract says ${hypervisor}.`,
          correction: `Correct \`compute_driver\` (or \`libvirt.virt_type\`) of ${binary} on ${host}; or \`openstack.compute.services\`.`,
        },
      ];
}

/** What there is, in words, and what of it the contract does not name. */
export function toldOf(wanted: readonly WantedService[], services: readonly ComputeService[]): string {
  const ups = services.filter(({ up }) => up);
  const count = (binary: string): string =>
    `${ups.filter((each) => each.binary === binary).length} ${binary} up`;
  const off = services.filter((each) => !each.enabled).map(({ binary, host }) => `${binary} on ${host}`);
  const others = services
    .filter((each) => wanted.length > 0 && !wanted.some((named) => isOf(named, each)))
    .map(({ binary, host }) => `${binary} on ${host}`);
  return [
    [...NEEDED, COMPUTE].map(count).join(', '),
    ...(off.length === 0 ? [] : [`disabled: ${off.slice(0, 10).join(', ')}`]),
    ...(others.length === 0 ? [] : [`not in the contract: ${others.slice(0, 10).join(', ')}`]),
  ].join('; ');
}
