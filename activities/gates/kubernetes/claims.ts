import { judgeClaim } from '../../../core/kubernetes/storage.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { looked } from '../looked.ts';
import { contractOf, kubernetesOf, systemNamespaces, withoutKubernetes } from './session.ts';

/** The claims of the system namespaces have their volumes. */
export const claimsBound: CheckFunction = {
  skip: withoutKubernetes,
  async run(context) {
    const kubernetes = await kubernetesOf(context);
    const classes = looked(() => kubernetes.storageClasses());
    return eachTarget(context, 'storage', systemNamespaces(contractOf(context)), async ({ name }) => {
      const there = await classes();
      const claims = await kubernetes.claims(name);
      const pods = claims.length > 0 ? await kubernetes.pods(name) : [];
      const wrong = claims.flatMap((claim) => judgeClaim(claim, there, pods));
      const evidence = await context.evidence(name, {
        asked: `persistentvolumeclaims of ${name}, ${kubernetes.server}`,
        answer: claims.map(({ metadata, spec, status }) => ({
          name: metadata?.name ?? '',
          phase: status?.phase ?? null,
          storageClass: spec?.storageClassName ?? null,
          volume: spec?.volumeName ?? null,
        })),
      });
      return {
        found: wrong.length > 0 ? { wrong } : { right: 'its claims have volumes' },
        evidence: [evidence],
      };
    });
  },
};
