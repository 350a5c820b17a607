import { DRIVER_PLANS, type DriverName } from '../../../core/plans/index.ts';
import type { OperationVerbName } from '../../../core/verbs.ts';

/** Where an operation is stopped dead: before or after the effect of a step. */
export interface Point {
  readonly step: string;
  readonly when: 'before' | 'after';
}

/** Every point of a verb, in the order in which an operation comes to them. */
export function pointsOf(driver: DriverName, verb: OperationVerbName): Point[] {
  const steps = DRIVER_PLANS[driver].plan(verb, {});
  if (steps === undefined) throw new Error(`${driver} cannot ${verb}`);
  return steps.flatMap(({ id }) => [
    { step: id, when: 'before' as const },
    { step: id, when: 'after' as const },
  ]);
}

/** As the product names a point. */
export const nameOf = (node: string, verb: string, { step, when }: Point): string =>
  `${node}:${verb}:${step}:${when}`;

/** A verb that several nodes carry out at once, each stopped at points of its own. */
export interface Share {
  readonly driver: DriverName;
  readonly verb: OperationVerbName;
  readonly nodes: readonly string[];
}

/** What one power cut stops: the nodes, and where. */
export interface Wave {
  readonly stops: readonly { readonly node: string; readonly point: Point }[];
}

/**
 * Deals the points of a verb out: with each wave the nodes are stopped at neighbouring points, so that
 * none waits long for the others, and a node is stopped once in every wave.
 */
export function wavesOf({ driver, verb, nodes }: Share): Wave[] {
  const points = pointsOf(driver, verb);
  return Array.from({ length: Math.ceil(points.length / nodes.length) }, (_, wave) => ({
    stops: points
      .slice(wave * nodes.length, (wave + 1) * nodes.length)
      .map((point, index) => ({ node: nodes[index]!, point })),
  }));
}

/** The names of all points of a share, for `RACKWRIGHT_PAUSE_AT`. */
export const namesOf = (share: Share): string[] =>
  wavesOf(share).flatMap(({ stops }) => stops.map(({ node, point }) => nameOf(node, share.verb, point)));
