import { validationProblems } from '../../../../core/ironic/validation.ts';
import { judgeNode } from '../../../../core/openstack/bare-node.ts';
import type { CloudFinding } from '../../../../core/openstack/finding.ts';
import { validationOf } from '../../ironic/validation.ts';
import { result, wrong } from '../server.ts';
import { nodeNamed, refuseBlind } from './cloud.ts';
import { ofWholePlan } from './plan.ts';

export const noNode = (name: string): CloudFinding => ({
  message: `Ironic has no node ${name}, which the contract dedicates to acceptance.`,
  correction: `Enrol it (openstack baremetal node create --name ${name} …), or correct \`acceptance.node\`.`,
  faultDomain: 'contract',
});

/** The dedicated node is free in Ironic, of its class, and validates. What it is like is kept: so it has to be again. */
export const nodeAvailable = ofWholePlan(async (cloud, plan, context) => {
  const { name, resourceClass } = plan.node;
  const seen = await nodeNamed(cloud, name);
  if (!seen) {
    await refuseBlind(cloud, name);
    return wrong(name, [noNode(name)], 'contract');
  }
  const ironic = { read: (path: string) => cloud.json('baremetal', path) };
  const { answer: validation } = await validationOf(ironic, seen.read.uuid);
  const evidence = await context.evidence(name, {
    asked: 'the node in Ironic, and what its interfaces say of themselves, before it is used',
    answer: { node: seen.shown, validation },
  });
  const found = [
    ...judgeNode(seen.read, resourceClass),
    ...validationProblems({ name, hasInstance: seen.read.instance !== null }, validation),
  ];
  if (found.length > 0) return wrong(name, found, 'ironic', [evidence]);
  return result('pass', `${name} is available, and validates`, { evidence: [evidence] });
});
