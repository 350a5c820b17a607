import { gateOf } from '../../core/acceptance/gates.ts';
import { CONTROL_PLANE_FIRST, redGates } from '../../core/acceptance/standing.ts';
import type { Site } from '../site.ts';

/**
 * For whoever looks for the cause of a node's failure: the first red gate of the control plane, which may well be
 * it. Undefined where none is red, or that cannot be told now.
 */
export async function controlPlaneFirst(
  site: Pick<Site, 'name' | 'standing' | 'log'>,
): Promise<string | undefined> {
  try {
    const [first, ...more] = redGates(await site.standing.read(site.name));
    if (first === undefined) return undefined;
    const { gate, since, outcome, runId, failure } = first;
    const { title, owner } = gateOf(gate);
    const why = failure ? `: ${failure.code} (${failure.faultDomain}), ${failure.message}` : '';
    const others = more.length === 0 ? '' : ` Red too: gate ${more.map((each) => each.gate).join(', ')}.`;
    const word = outcome === 'fail' ? 'red' : 'not known to be green';
    return `${CONTROL_PLANE_FIRST}: gate ${gate}, ${title} (${owner}), is ${word} since ${since}, run ${runId}${why.replace(/[.!?]?$/, '.')}${others} Look there first.`;
  } catch (error) {
    site.log.warn({ err: error }, 'how the gates stand could not be read');
    return undefined;
  }
}
