import { field, items, text } from '../../../../core/openstack/read.ts';
import { ACCEPTANCE_SUBJECT } from '../../../records/safe-names.ts';
import type { CheckContext } from '../../check.ts';
import type { LeftPort } from './left.ts';
import { isOver } from './plan.ts';

/** What earlier checks have noted, whoever made them: of this run of the gate, where nothing else is said. */
export interface Noted {
  /** The servers that it has had, which may be gone. */
  readonly ids: readonly string[];
  /** The servers of earlier runs of the gate, the clean-up of which did not come to its end. */
  readonly owed: readonly string[];
  /** When the clean-up has last seen one of them; undefined: it has seen none. */
  readonly lastSeen: string | undefined;
  /** What became of the request; undefined: there was none. */
  readonly request: { readonly outcome: string; readonly at: string } | undefined;
  /** The node before it was used. */
  readonly before: unknown;
  /** The ports that it has found left behind, which are deleted. */
  readonly left: readonly LeftPort[];
}

const STEPS = ['node-available', 'server-requested', 'states-captured', 'server-released'];

/** Reads it from the evidence: the servers are gone by the time that it is asked for. */
export async function notedOf({ site, input }: CheckContext): Promise<Noted> {
  const entries = await site.evidence.list(input.site, ACCEPTANCE_SUBJECT, input.runId);
  const ids = new Map<number, Set<string>>();
  const settled = new Set<string>();
  const left: LeftPort[] = [];
  let request: Noted['request'];
  let before: unknown;
  let lastSeen: string | undefined;
  for (const { ref, step } of entries.filter(({ step }) => STEPS.includes(step))) {
    const { answer, run } = await site.evidence.read(ref.id);
    const found = [field(answer, 'id'), field(field(answer, 'server'), 'id'), ...items(field(answer, 'ids'))];
    const known = ids.get(run) ?? new Set();
    ids.set(run, known);
    for (const id of found.map(text).filter((each) => each !== '')) known.add(id);
    // What the clean-up has looked at to its end.
    if (step === 'server-released') items(field(answer, 'servers')).forEach((id) => settled.add(text(id)));
    if (run !== input.run) continue;
    const port = field(answer, 'leftPort') as LeftPort | undefined;
    if (port !== undefined) left.push(port);
    if (step === 'node-available') before = field(answer, 'node');
    const outcome = text(field(answer, 'outcome'));
    if (outcome !== '') request = { outcome, at: text(field(answer, 'at')) };
    const seen = text(field(answer, 'seen'));
    if (seen > (lastSeen ?? '')) lastSeen = seen;
  }
  const own = ids.get(input.run) ?? new Set();
  const earlier = [...ids].filter(([run]) => run < input.run).flatMap(([, of]) => [...of]);
  const owed = earlier.filter((id) => !settled.has(id) && !own.has(id));
  return { ids: [...own], owed, lastSeen, request, before, left };
}

/** How long a server may still come of a request that was not answered. */
const ANSWER_SECONDS = 60;

/** Whether a server may still come of a request, of which nobody knows. */
export const mayStillCome = ({ request }: Noted): boolean =>
  request?.outcome === 'unknown' && !isOver(request.at, ANSWER_SECONDS);
