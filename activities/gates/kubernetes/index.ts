import type { CheckFunction } from '../check.ts';
import { kubernetesApi } from './api.ts';
import { cephStatus } from './ceph.ts';
import { claimsBound } from './claims.ts';
import { kubernetesNodes } from './nodes.ts';
import { kubernetesPods } from './pods.ts';
import { storageClasses } from './storage-classes.ts';
import { kubernetesWorkloads } from './workloads.ts';

/** How the checks of gate 2 are made, by id. */
export const KUBERNETES_FUNCTIONS: { readonly [id: string]: CheckFunction } = {
  'ceph-status': cephStatus,
  'claims-bound': claimsBound,
  'kubernetes-api': kubernetesApi,
  'kubernetes-nodes': kubernetesNodes,
  'kubernetes-pods': kubernetesPods,
  'kubernetes-workloads': kubernetesWorkloads,
  'storage-classes': storageClasses,
};
