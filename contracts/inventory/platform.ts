import { z } from 'zod';
import { NodeBmc } from './bmc.ts';
import { IpAddress, Label, Mac, Name, SecretRef, Sha256, Text } from './primitives.ts';
import { RULES } from './rules.ts';

/** What stands for a host on the command line of a client. */
export const HOST = /^(?!-)[A-Za-z0-9._:%-]{1,253}$/;
const Host = z.string().regex(HOST, RULES.sshHost.message);
const HOST_KEY = /^((?:ssh|ecdsa)-[a-z0-9-]+) +([A-Za-z0-9+/]{32,}={0,3})(?: +[^\0\r\n]*)?$/;

/** How a host is logged in to: with a key, never with a password. */
export const Ssh = z.strictObject({
  host: Host.optional(),
  port: z.int().min(1).max(65_535).optional(),
  user: z.string().regex(/^(?!-)[^\s\0@:/'"`$;&|<>(){}]{1,64}$/, RULES.sshUser.message),
  /** The private key, without a passphrase. */
  key: SecretRef,
  /** The host's public key, as ssh-keyscan prints it without the host. Left out: known_hosts of the worker's user. */
  hostKey: z
    .string()
    .max(4096)
    .regex(HOST_KEY, RULES.hostKey.message)
    .transform((text) => text.replace(HOST_KEY, '$1 $2'))
    .optional(),
});
export type Ssh = z.output<typeof Ssh>;

const HOST_NAME = /^(?!.{65})[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const INTERFACE_NAME = /^(?!\.{1,2}$)[^\s\0/:]{1,15}$/;

/** How a controller's own BMC is reached; what it leaves out is that of `bmc`. */
export const ControllerBmc = NodeBmc.pick({
  address: true,
  system: true,
  credentials: true,
  tls: true,
  auth: true,
  timeouts: true,
});

/** A host of the control plane, and what its baseline must show. */
export const Controller = z.strictObject({
  name: Name,
  address: Text,
  /** Its static host name, where that is not `name`. */
  hostname: z.string().regex(HOST_NAME, RULES.hostname.message).optional(),
  ssh: Ssh.optional(),
  bmc: ControllerBmc.optional(),
  interfaces: z
    .array(
      z.strictObject({
        name: z.string().regex(INTERFACE_NAME, RULES.interfaceName.message),
        mac: Mac.optional(),
        network: Name.optional(),
        address: IpAddress.optional(),
      }),
    )
    .optional(),
  /** Disks by a path that never changes, and who may write to them. */
  disks: z.array(z.strictObject({ path: Text, owner: Label })).optional(),
  /** What it has to reach beside the other controllers, the gateways of its networks and the BMCs, by TCP. */
  reaches: z
    .array(z.strictObject({ host: Host, port: z.int().min(1).max(65_535) }))
    .max(64)
    .optional(),
});
export type Controller = z.output<typeof Controller>;

/** A storage class by its name, or with what else is to be so of it. */
const StorageClass = z.union([
  Text,
  z.strictObject({ name: Text, provisioner: Text.optional(), default: z.boolean().optional() }),
]);

/** A container image, and the digest that was recorded when it was promoted. */
const ContainerImage = z.strictObject({
  /** As workloads name it, with or without a tag: without one, for every tag. */
  image: z.string().regex(/^[^\s@]{1,512}$/, RULES.containerImage.message),
  /** Of the image, or of its index and of its images for each architecture. */
  digest: z.union([Sha256, z.array(Sha256).min(1).max(16)], RULES.sha256.message),
  /** The registry never lets the tag stand for anything else, so that workloads may name it without a digest. */
  immutableTag: z.boolean().optional(),
});

export const Kubernetes = z.strictObject({
  /** The kubeconfig as a whole. One that wants a program to be run (`exec`) is refused. */
  kubeconfig: SecretRef,
  context: Text.optional(),
  /** Namespaces whose pods, workloads and claims the platform stands on; `kube-system` is one in any case. */
  systemNamespaces: z.array(Label).optional(),
  storageClasses: z.array(StorageClass).optional(),
  /** Images that containers of those namespaces run, and the digests recorded of them. */
  containerImages: z.array(ContainerImage).max(2000).optional(),
  ceph: z
    .strictObject({
      /** Where Rook runs it, and its toolbox. */
      namespace: Name.optional(),
      /** Labels of the pod that `ceph` is run in. @default app=rook-ceph-tools */
      toolbox: Text.optional(),
      /** Of a Ceph beside Kubernetes: the vantage point that `ceph` is run on. */
      from: Name.optional(),
      /** The user of Ceph as which it is asked, without `client.`. @default admin */
      user: z
        .string()
        .regex(/^\w[\w.-]{0,62}$/, RULES.cephUser.message)
        .optional(),
      /** Codes of health warnings that are meant to be so, such as POOL_NO_REDUNDANCY. */
      allow: z.array(Label).optional(),
    })
    .refine(
      ({ namespace, from }) => (namespace === undefined) !== (from === undefined),
      RULES.oneCeph.message,
    )
    .refine(({ toolbox, from }) => toolbox === undefined || from === undefined, RULES.toolboxOfRook.message)
    .optional(),
});
export type Kubernetes = z.output<typeof Kubernetes>;

const LABEL_KEY = /^([a-z0-9.-]{1,253}\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;

/** A place that checks are made from. */
export const VantagePoint = z
  .strictObject({
    name: Name,
    description: Text.optional(),
    controller: Name.optional(),
    ssh: Ssh.extend({ host: Host }).optional(),
    /** A worker of its own, on the queue `rackwright-<site>-<name>`. */
    worker: z.literal(true).optional(),
    /** Pods of `kubernetes`: each that has all of these labels and is ready, such as every conductor. */
    pod: z
      .strictObject({
        namespace: Name,
        labels: z
          .record(z.string().regex(LABEL_KEY), z.string().regex(LABEL_VALUE))
          .refine((labels) => Object.keys(labels).length > 0, RULES.podLabels.message),
        /** Left out: the one that the pod itself names as its default, or its first. */
        container: Name.optional(),
      })
      .optional(),
  })
  .refine(
    ({ controller, ssh, worker, pod }) =>
      [controller, ssh, worker, pod].filter((way) => way !== undefined).length === 1,
    RULES.oneVantage.message,
  );
export type VantagePoint = z.output<typeof VantagePoint>;
