import { createHash, randomUUID } from 'node:crypto';
import type { FaultValues } from '../faults.ts';
import type { CloudService } from './switches.ts';

/** A JSON object as it goes over the wire. */
export interface Wire {
  [field: string]: unknown;
}

export interface Token {
  user: string;
  /** Whether it is for the system, and not for the project. */
  system: boolean;
  issuedAt: string;
  expiresAt: string;
}

/** An image of Glance, by the names of its API. */
export interface Image extends Wire {
  id: string;
  name: string;
  status: string;
  size: number | null;
  checksum: string | null;
  os_hash_value: string | null;
}

/** A server of Nova. */
export interface CloudServer {
  id: string;
  name: string;
  status: 'BUILD' | 'ACTIVE' | 'SHUTOFF' | 'ERROR';
  task: string | null;
  power: number;
  host: string | null;
  hypervisor: string | null;
  zone: string;
  /** The host and the hypervisor that it is to come up on, where that was asked for. */
  wanted: { host: string | null; hypervisor: string | null };
  flavor: string;
  image: string | null;
  keyName: string | null;
  userData: string | null;
  configDrive: boolean;
  metadata: { [key: string]: string };
  securityGroups: string[];
  ports: { id: string; made: boolean }[];
  /** The Ironic node that it lies on. */
  node: string | null;
  fault: { code: number; message: string; created: string } | null;
  createdAt: string;
  updatedAt: string;
  launchedAt: string | null;
  deletedAt: string | null;
  actions: Action[];
}

export interface Action {
  request: string;
  action: string;
  start: string;
  finish: string | null;
  message: string | null;
  /** What its failure came out of, as administrators see it. */
  traceback?: string | undefined;
}

/** A node of Ironic, by the names of its API; `allocation` and the like are made for the answer. */
export interface IronicNode extends Wire {
  uuid: string;
  name: string;
  driver: string;
  provision_state: string;
  target_provision_state: string | null;
  power_state: string | null;
  target_power_state: string | null;
  maintenance: boolean;
  instance_uuid: string | null;
  resource_class: string | null;
  last_error: string | null;
}

/** Something that is to happen then: kept, so that it happens after a restart too. */
export interface Due {
  at: number;
  what: string;
  id: string;
}

/** All that the cloud remembers. */
export interface CloudState {
  faults: { [service in CloudService]?: FaultValues };
  startedAt: string;
  tokens: { [id: string]: Token };
  images: Image[];
  flavors: Wire[];
  keypairs: Wire[];
  servers: CloudServer[];
  networks: Wire[];
  subnets: Wire[];
  ports: Wire[];
  securityGroups: Wire[];
  nodes: IronicNode[];
  nodePorts: Wire[];
  allocations: Wire[];
  due: Due[];
  /** Whether the images that the lab comes with were uploaded. */
  imagesMade: boolean;
}

/** The uuid of what is there from the first: the same in every lab. */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(`lab/${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** An id as Keystone has them: 32 digits. */
export const idOf = (name: string): string => uuidOf(name).replaceAll('-', '');

export const newUuid = (): string => randomUUID();
export const newRequestId = (): string => `req-${randomUUID()}`;

/** A moment as most services write it: whole seconds, UTC. */
export const second = (at: Date = new Date()): string => `${at.toISOString().slice(0, 19)}Z`;
/** As Nova's and Keystone's databases have it, without a zone. */
export const micro = (at: Date = new Date()): string => `${at.toISOString().slice(0, 23)}000`;
/** As Ironic writes it. */
export const offset = (at: Date = new Date()): string => `${at.toISOString().slice(0, 19)}+00:00`;
