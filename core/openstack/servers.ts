import { field, items, text } from './read.ts';

/** A server as Nova shows it to an administrator. */
export interface CloudServer {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly task: string | null;
  readonly created: string;
  /** Of bare metal: the UUID of its node; null as long as there is none, undefined where who asks is not shown it. */
  readonly hypervisor: string | null | undefined;
  /** Nova's words for why it is in ERROR. */
  readonly fault: string | null;
  readonly metadata: { readonly [key: string]: unknown };
  readonly addresses: readonly string[];
  /** Since when it has been active. */
  readonly launched: string | null;
  /** Whether somebody has locked it, so that only an administrator may delete it; and why, where that is told. */
  readonly locked: boolean;
  readonly lockedReason: string | null;
}

const some = (value: unknown): string | null => text(value) || null;

/** Reads a server; undefined where it is none, as what a cell that is down leaves of one. */
export function readServer(value: unknown): CloudServer | undefined {
  const [id, name, status] = ['id', 'name', 'status'].map((each) => text(field(value, each)));
  if (!id || !name || !status) return undefined;
  const metadata = field(value, 'metadata');
  const addresses = field(value, 'addresses');
  const fault = field(value, 'fault');
  const hypervisor = field(value, 'OS-EXT-SRV-ATTR:hypervisor_hostname');
  return {
    id,
    name,
    status,
    task: some(field(value, 'OS-EXT-STS:task_state')),
    created: text(field(value, 'created')),
    hypervisor: hypervisor === undefined ? undefined : some(hypervisor),
    fault: some(field(fault, 'message')),
    metadata: typeof metadata === 'object' && metadata !== null ? { ...metadata } : {},
    addresses: Object.values(typeof addresses === 'object' && addresses !== null ? addresses : {})
      .flatMap(items)
      .map((each) => text(field(each, 'addr')))
      .filter((address) => address !== ''),
    launched: some(field(value, 'OS-SRV-USG:launched_at')),
    locked: field(value, 'locked') === true,
    lockedReason: some(field(value, 'locked_reason')),
  };
}

/** What a server of ours is known by, beside its name. */
export const MARK = 'rackwright_acceptance';

/** How a server is found again by whoever has lost the answer to asking for it. */
export interface Mark {
  readonly name: string;
  /** Of the site, so that two sites in one project do not take each other's. */
  readonly site: string;
}

export const metadataOf = ({ name, site }: Mark): { readonly [key: string]: string } => ({
  [MARK]: `${site}/${name}`,
});

/** Whether name and metadata both say that this run of the gate has asked for it. */
export const isMarked = (server: CloudServer, mark: Mark): boolean =>
  server.name === mark.name && server.metadata[MARK] === metadataOf(mark)[MARK];

const KEPT = [
  'id',
  'name',
  'status',
  'created',
  'updated',
  'metadata',
  'fault',
  'addresses',
  'image',
  'flavor',
  'config_drive',
  'OS-EXT-STS:task_state',
  'OS-EXT-STS:vm_state',
  'OS-EXT-STS:power_state',
  'OS-EXT-SRV-ATTR:host',
  'OS-EXT-SRV-ATTR:hypervisor_hostname',
  'OS-EXT-AZ:availability_zone',
  'OS-SRV-USG:launched_at',
  'OS-SRV-USG:terminated_at',
  'locked',
  'locked_reason',
];

/** What is kept of a server as evidence: user data and links are not. */
export const shownServer = (value: unknown): { [name: string]: unknown } =>
  Object.fromEntries(KEPT.map((name) => [name, field(value, name)]).filter(([, of]) => of !== undefined));

/** Since when a server is being deleted, going by its actions; undefined where it is not. */
export function deletingSince(actions: readonly unknown[]): string | undefined {
  const deletions = actions.filter((each) => text(field(each, 'action')) === 'delete');
  const times = deletions.map((each) => text(field(each, 'start_time'))).filter((time) => time !== '');
  return times.toSorted()[0];
}

/** What the events of an action say of its failure, as far as the one who asks is told. */
export const eventWords = (action: unknown): string =>
  items(field(action, 'events'))
    .filter((event) => text(field(event, 'result')) === 'Error')
    .flatMap((event) => [text(field(event, 'details')), text(field(event, 'traceback'))])
    .filter((words) => words !== '')
    .join('\n');
