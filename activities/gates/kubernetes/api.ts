import { judgeReadyz, readReadyz } from '../../../core/kubernetes/readyz.ts';
import { answerInvalid } from '../../kubernetes/errors.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { kubernetesOf, withoutKubernetes } from './session.ts';

/** Asks the API server how it is: of itself, of etcd behind it, of what it has to start first. */
export const kubernetesApi: CheckFunction = {
  skip: withoutKubernetes,
  async run(context) {
    const kubernetes = await kubernetesOf(context);
    return eachTarget(context, 'kubernetes', [{ name: 'kube-apiserver' }], async ({ name }) => {
      const asked = `${kubernetes.server}/readyz?verbose`;
      const { status, body } = await kubernetes.readyz();
      const readiness = readReadyz(status, body);
      if (!readiness)
        throw answerInvalid('GET /readyz?verbose', `it is answered with ${status}, and lists nothing`);
      const evidence = await context.evidence(name, { asked, answer: { status, body: body.split('\n') } });
      return {
        found:
          'failed' in readiness
            ? { wrong: [judgeReadyz(readiness.failed)] }
            : { right: `ready, ${readiness.passed} checks of its own passed` },
        evidence: [evidence],
      };
    });
  },
};
