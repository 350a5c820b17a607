import { z } from 'zod';
import { INTERFACES, SERVICE_TYPES } from '../../core/openstack/catalog.ts';
import { BACKENDS } from '../../core/openstack/network-agents.ts';
import { statusCommandOf } from '../../core/openstack/status-commands.ts';
import { BareMetal } from './bare-metal.ts';
import { Duration, FilePath, Name, PlainUrl, SecretRef, Text } from './primitives.ts';
import { RULES } from './rules.ts';

/** How Ironic is spoken to. */
export const IronicApi = z.strictObject({
  url: PlainUrl.transform((url) => url.replace(/\/+$/, '')),
  auth: z
    .union([
      z.literal('none'),
      z.strictObject({ type: z.literal('http_basic'), username: Text, password: SecretRef }),
    ])
    .default('none'),
  microversion: z
    .string(RULES.microversion.message)
    .regex(/^1\.\d{1,3}$/, RULES.microversion.message)
    .optional(),
});
export type IronicApi = z.output<typeof IronicApi>;

/** What Nova has to have. */
const Compute = z.strictObject({
  services: z
    .array(
      z.strictObject({
        binary: Text,
        host: Text,
        /** The type of its hypervisors, as Nova tells it: `QEMU`, `ironic`. */
        hypervisor: Text.optional(),
      }),
    )
    .max(10_000),
});

/** What Neutron has to have. */
const NetworkAgents = z.strictObject({
  agents: z
    .array(z.strictObject({ binary: Text, host: Text }))
    .max(10_000)
    .optional(),
  /** What wires ports, on each host that runs virtual machines. */
  backend: z.enum(BACKENDS).optional(),
});

/** How a service is asked for the state of its database: a command that only reads. */
const StatusCommand = z
  .strictObject({
    service: z.enum(SERVICE_TYPES),
    /** A vantage point, or a pod. */
    from: z.union([Name, z.strictObject({ namespace: Name, labels: Text, container: Text.optional() })]),
    /** Its words. Left out: the one of the service that is known, without options. */
    command: z.array(Text).min(1).max(64).optional(),
  })
  .refine(
    ({ service, command }) => command === undefined || statusCommandOf(service, command) !== undefined,
    { ...RULES.statusCommand, path: ['command'] },
  );

export const OpenStack = z.strictObject({
  ironic: IronicApi.optional(),
  /** Keystone, with or without `/v3`: the site has a cloud. */
  authUrl: PlainUrl.optional(),
  region: Text.optional(),
  /** Which endpoints of the catalogue are asked. @default public */
  interface: z.enum(INTERFACES).optional(),
  /** The services that the cloud has to have. Left out: all six that are known. */
  services: z.array(z.enum(SERVICE_TYPES)).min(1).optional(),
  /** CA of the API's certificates, where it is not one of the system's. */
  ca: FilePath.optional(),
  credentials: z
    .strictObject({
      username: Text,
      password: SecretRef,
      project: Text,
      /** Of the user and of the project. @default Default */
      domain: Text.optional(),
      /** Ironic is asked with a token of the system instead of the project. */
      systemScope: z.literal('all').optional(),
    })
    .optional(),
  compute: Compute.optional(),
  network: NetworkAgents.optional(),
  /** How long those are watched that report through the message queue. Left out: 65 s. */
  watch: Duration.refine((seconds) => seconds >= 1 && seconds <= 600, RULES.watched.message).optional(),
  commands: z.array(StatusCommand).max(64).optional(),
  bareMetal: BareMetal.optional(),
});
export type OpenStack = z.output<typeof OpenStack>;
