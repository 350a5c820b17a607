import { effectiveNode, type EffectiveNode } from '../../../contracts/inventory/effective.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { ACCEPTANCE_OWNER } from '../../../core/acceptance/node-standing.ts';
import type { CheckResult } from '../../../core/acceptance/report.ts';
import { fail, type Failure } from '../../../core/errors/failure.ts';
import type { FaultDomain } from '../../../core/fault-domains.ts';
import { fingerprint } from '../../../core/fingerprint.ts';
import type { EvidenceRef } from '../../../core/operations.ts';
import { wrongOf, type CheckContext, type Wrong } from '../check.ts';

/** How much of the run's id stands in the ids of its requests. */
const LONGEST_RUN = 80;

/** Why there is no server to ask for; undefined: there is one. */
export const noServer = ({ nodes }: Inventory): string | undefined =>
  nodes.length === 0 ? 'the contract has no node' : undefined;

/** The dedicated node and the image, as the contract names them. Throws CONTRACT_INVALID. */
export function serverOf({ inventory }: CheckContext): { node: EffectiveNode; image: string } {
  const { node, image } = inventory.acceptance ?? {};
  if (node === undefined || image === undefined) {
    const missing = node === undefined ? 'acceptance.node' : 'acceptance.image';
    throw fail('CONTRACT_INVALID', `The contract does not say \`${missing}\`, which gate 7 takes.`, {
      correction: `Add \`${missing}\`: a server that nobody else is given, and an image for it.`,
    });
  }
  return { node: effectiveNode(inventory, node), image };
}

/** The id of a request of this run of the gate: the same in each attempt, another after a resume. */
export function requestIdOf(
  { input }: CheckContext,
  verb: 'deploy' | 'release' | 'server',
  run = input.run,
): string {
  const { runId } = input;
  const short =
    runId.length <= LONGEST_RUN ? runId : `${runId.slice(0, LONGEST_RUN - 15)}-${fingerprint(runId)}`;
  return `${ACCEPTANCE_OWNER}-${short}-${run}-${verb}`;
}

/** A result about the one server of this gate. */
export const result = (
  outcome: CheckResult['outcome'],
  summary: string,
  over: { readonly findings?: CheckResult['findings']; readonly evidence?: readonly EvidenceRef[] } = {},
): CheckResult => ({ outcome, summary, findings: [], targets: 1, evidence: [], ...over });

/** A result of findings about the node. */
export const wrong = (
  node: string,
  found: readonly (Wrong | Failure)[],
  faultDomain: FaultDomain,
  evidence: readonly EvidenceRef[] = [],
): CheckResult => ({
  ...result('fail', '1 failed', { evidence }),
  findings: found.map((each) => ({
    target: node,
    failure: 'code' in each ? each : wrongOf(node, each, faultDomain),
  })),
});
