import type { V1Pod } from '@kubernetes/client-node';

/** Whether commands can be run in a pod: it runs, is ready, and is not being deleted. */
export const isReadyPod = ({ metadata, status }: V1Pod): boolean =>
  metadata?.deletionTimestamp === undefined &&
  status?.phase === 'Running' &&
  (status.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');

/** Whether a pod is there to run: it has not ended, and is not being deleted. */
export const isToRun = ({ metadata, status }: V1Pod): boolean =>
  metadata?.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
