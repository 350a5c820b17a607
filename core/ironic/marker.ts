import type { Json, JsonObject } from '../json.ts';
import type { Asked } from './goals.ts';
import type { ProvisionTarget } from './states.ts';

/** What stands in a node's `extra.rackwright.operation`: the last request of ours, written before it is sent. */
export interface Marker {
  readonly requestId: string;
  readonly step: string;
  readonly target: ProvisionTarget | 'power off';
  /** The node's `provision_updated_at` when the marker was written. */
  readonly since: string | null;
  /** Its failure has been reported: whoever comes back to the step wants it asked again. */
  readonly reported?: true;
}

/** Whose node it is: what stands in `extra.rackwright`. */
export interface Ownership {
  readonly site: string;
  readonly node: string;
}

const object = (value: Json | undefined): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;

/** Whether the node was created by this site, as this node. */
export function isOurs(extra: JsonObject, { site, node }: Ownership): boolean {
  const own = object(extra['rackwright']);
  return own?.['site'] === site && own['node'] === node;
}

/** The marker of this step of this operation; undefined if the node has none or another's. */
export function markerOf(
  extra: JsonObject,
  { requestId, step }: Pick<Marker, 'requestId' | 'step'>,
): Marker | undefined {
  const marker = object(object(extra['rackwright'])?.['operation']);
  if (marker?.['requestId'] !== requestId || marker['step'] !== step) return undefined;
  return marker as unknown as Marker;
}

/** What this step has asked for and not yet reported as failed. */
export function askedBy(marker: Marker | undefined, provisionUpdatedAt: string | null): Asked | undefined {
  if (marker === undefined || marker.reported || marker.target === 'power off') return undefined;
  return { target: marker.target, moved: marker.since !== provisionUpdatedAt };
}
