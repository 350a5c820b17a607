import { judgeClass } from '../../../core/kubernetes/storage.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { looked } from '../looked.ts';
import { contractOf, kubernetesOf, withoutKubernetes } from './session.ts';

/** The storage classes of the contract are there, and are what it says. */
export const storageClasses: CheckFunction = {
  skip: (inventory) =>
    withoutKubernetes(inventory) ??
    ((inventory.kubernetes?.storageClasses ?? []).length > 0
      ? undefined
      : 'the contract names no storage classes'),
  async run(context) {
    const kubernetes = await kubernetesOf(context);
    const wanted = (contractOf(context).storageClasses ?? []).map((each) =>
      typeof each === 'string' ? { name: each } : each,
    );
    const classes = looked(() => kubernetes.storageClasses());
    return eachTarget(context, 'storage', wanted, async (each) => {
      const there = await classes();
      const wrong = judgeClass(each, there);
      const evidence = await context.evidence(each.name, {
        asked: `storage classes of ${kubernetes.server}`,
        answer: there.map(({ metadata, provisioner, volumeBindingMode }) => ({
          name: metadata?.name ?? '',
          provisioner,
          volumeBindingMode: volumeBindingMode ?? null,
          annotations: metadata?.annotations ?? {},
        })),
      });
      return { found: wrong.length > 0 ? { wrong } : { right: 'there' }, evidence: [evidence] };
    });
  },
};
