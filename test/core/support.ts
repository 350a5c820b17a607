import { newNode, type CurrentOperation, type NodeRecord } from '../../core/node.ts';
import { parseVerb, type VerbRequest } from '../../core/messages.ts';
import { ALL_VERBS, isOperationVerb, type Verb } from '../../core/verbs.ts';

/** A node that nothing stands in the way of: erased, free, and its driver can do everything. */
export const aNode = (over: Partial<NodeRecord> = {}): NodeRecord => ({
  ...newNode('test', 'n1'),
  resident: { kind: 'none' },
  supports: ALL_VERBS.filter(isOperationVerb),
  ...over,
});

export const anOperation = (over: Partial<CurrentOperation> = {}): CurrentOperation => ({
  requestId: 'op-1',
  kind: 'deploy',
  args: {},
  held: false,
  step: null,
  failure: null,
  ...over,
});

/** What each verb cannot do without. */
const LEAST: { readonly [V in Verb]?: object } = {
  deploy: { image: 'a' },
  reimage: { image: 'a' },
  service: { steps: ['firmware'] },
  power: { state: 'on' },
  maintenance: { on: true, reason: 'fans' },
  quarantine: { reason: 'link' },
  unquarantine: { reason: 'link' },
  adopt: { owner: 'team-a' },
  abort: { reason: 'enough' },
};

/** A well-formed request. */
export function aRequest(verb: Verb, over: object = {}): VerbRequest {
  const parsed = parseVerb(verb, { ...LEAST[verb], ...over }, () => 'made-here');
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
}
