import type { FaultDomain } from '../fault-domains.ts';
import { firstWords } from '../whole-words.ts';

/** What of the Kubernetes API's objects is read. Whatever the API may leave out may be missing. */

export interface Meta {
  readonly name?: string;
  readonly namespace?: string;
  readonly creationTimestamp?: Date;
  readonly deletionTimestamp?: Date;
  readonly generation?: number;
  readonly annotations?: { readonly [key: string]: string };
  readonly ownerReferences?: readonly {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
  }[];
}

export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface NodeObject {
  readonly metadata?: Meta;
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
  };
}

/** A kubelet's sign of life. */
export interface LeaseObject {
  readonly metadata?: Meta;
  readonly spec?: { readonly renewTime?: Date };
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: Date };
  readonly terminated?: {
    readonly exitCode?: number;
    readonly reason?: string;
    readonly startedAt?: Date;
    readonly finishedAt?: Date;
  };
}

interface Container {
  readonly name: string;
  readonly image?: string;
}

export interface ContainerStatus {
  readonly name?: string;
  readonly image?: string;
  readonly imageID?: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface PodObject {
  readonly metadata?: Meta;
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly ephemeralContainers?: readonly Container[];
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName?: string } }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  };
}

export interface JobObject {
  readonly metadata?: Meta;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface DeploymentObject {
  readonly metadata?: Meta;
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

export interface StatefulSetObject {
  readonly metadata?: Meta;
  readonly spec?: {
    readonly replicas?: number;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
  };
}

export interface DaemonSetObject {
  readonly metadata?: Meta;
  readonly spec?: { readonly updateStrategy?: { readonly type?: string } };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly desiredNumberScheduled?: number;
    readonly numberAvailable?: number;
    readonly updatedNumberScheduled?: number;
  };
}

export interface StorageClassObject {
  readonly metadata?: Meta;
  readonly provisioner?: string;
  readonly volumeBindingMode?: string;
}

export interface ClaimObject {
  readonly metadata?: Meta;
  readonly spec?: { readonly storageClassName?: string; readonly volumeName?: string };
  readonly status?: { readonly phase?: string };
}

/** What is wrong, and the smallest correction. */
export interface Found {
  readonly message: string;
  readonly correction: string;
  /** Where it is not the check's own. */
  readonly faultDomain?: FaultDomain;
}

export const nameOf = ({ metadata }: { readonly metadata?: Meta }): string => metadata?.name ?? '(nameless)';

/** A reason and a message of the API, as part of a sentence: what is missing is left out, what is long is cut. */
export function saying(reason: string | undefined, message?: string): string {
  const words = [reason, message].filter((each) => each !== undefined && each !== '').join(': ');
  const plain = words.replaceAll(/\s+/g, ' ').trim();
  return plain === '' ? '' : ` (${firstWords(plain, 240)})`;
}

/** How long ago, in words that need no clock: `90 s`, `12 min`, `5 h`, `3 d`. */
export function ago(from: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - from.getTime()) / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
