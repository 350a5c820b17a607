import type { ServedNode } from '../../../core/ironic/service.ts';
import type { CheckResult } from '../../../core/acceptance/report.ts';
import type { FaultDomain } from '../../../core/fault-domains.ts';
import type { EvidenceRef } from '../../../core/operations.ts';
import { eachTarget, type CheckContext, type Look, type Wrong } from '../check.ts';
import { findServed, namedNodes, type BareMetal } from './session.ts';

/** The nodes of the contract that are in Ironic; and those that are not, and have to be. */
interface Present {
  readonly present: readonly { readonly name: string; readonly node: ServedNode }[];
  readonly absent: readonly string[];
  /** Nodes of the contract that nobody has enrolled yet. */
  readonly later: readonly string[];
}

const missing = (name: string): Wrong => ({
  message: `Ironic has no node ${name}, or the user of the contract may not see it.`,
  correction: `Enroll it (baremetal node create --name ${name} …), or correct its name in the contract.`,
});

/** Looks for the nodes that the contract is about. */
export async function presentNodes(context: CheckContext, ironic: BareMetal): Promise<Present> {
  const present: { name: string; node: ServedNode }[] = [];
  const absent: string[] = [];
  const later: string[] = [];
  for (const { name, required } of namedNodes(context.inventory)) {
    const node = await findServed(ironic, name);
    if (node !== undefined) present.push({ name, node });
    else (required ? absent : later).push(name);
  }
  return { present, absent, later };
}

/** Looks at each node of the contract that Ironic has. */
export async function eachNode(
  context: CheckContext,
  ironic: BareMetal,
  faultDomain: FaultDomain,
  look: (
    node: ServedNode,
    name: string,
  ) => Promise<{ readonly found: Look; readonly evidence?: readonly EvidenceRef[] }>,
): Promise<CheckResult> {
  const later: string[] = [];
  const names = namedNodes(context.inventory);
  const result = await eachTarget(context, faultDomain, names, async ({ name, required }) => {
    const node = await findServed(ironic, name);
    if (node !== undefined) return look(node, name);
    if (required) return { found: { wrong: [missing(name)] } };
    later.push(name);
    return { found: { right: 'not enrolled yet' } };
  });
  if (later.length < names.length) return result;
  return {
    ...result,
    outcome: 'skipped',
    summary: 'none of the nodes of the contract is enrolled in Ironic yet',
  };
}
