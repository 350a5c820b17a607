import type { Found } from './shapes.ts';

/** What `/readyz?verbose` of an API server says: passed, failed with the names of what fails, or nothing of the kind. */
export type Readiness = { readonly passed: number } | { readonly failed: readonly string[] } | undefined;

const LINE = /^\[([+-])\]([^\s]+)/;

export function readReadyz(status: number, body: string): Readiness {
  const lines = body.split('\n').flatMap((line) => {
    const [, sign, name] = LINE.exec(line) ?? [];
    return name === undefined ? [] : [{ good: sign === '+', name }];
  });
  const failed = lines.filter(({ good }) => !good).map(({ name }) => name);
  if (failed.length > 0 && status >= 500) return { failed };
  return status === 200 && failed.length === 0 && /check passed\s*$/.test(body)
    ? { passed: lines.length }
    : undefined;
}

const ETCD = /^etcd/;

/** What is wrong with an API server that says itself that it is not ready. */
export const judgeReadyz = (failed: readonly string[]): Found => ({
  message: `The API server is not ready: ${failed.slice(0, 8).join(', ')}.`,
  correction: failed.some((name) => ETCD.test(name))
    ? 'Look at etcd first: on a controller, etcdctl endpoint health --cluster; start the members that are down.'
    : 'Look at the log of kube-apiserver on the controllers: crictl logs $(crictl ps -q --name kube-apiserver).',
});
