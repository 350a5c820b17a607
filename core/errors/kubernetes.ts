import type { CatalogueEntry } from './entry.ts';

/** Codes of the Kubernetes API. */
export const KUBERNETES_ERRORS = {
  KUBERNETES_CONFIG_INVALID: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'The kubeconfig of the contract cannot be used: it is none, or lacks what the message names.',
    correction: 'Correct what `kubernetes.kubeconfig` refers to, or `kubernetes.context`, then resume.',
  },
  KUBERNETES_CONFIG_REFUSED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning:
      'The kubeconfig wants a program to be run for its credentials (`exec`, `auth-provider`). That is not done.',
    correction:
      'Give a kubeconfig with the token of a service account, or a client certificate. What a program prints can be the whole kubeconfig: `kubeconfig: exec:COMMAND`, with --allow-exec.',
  },
  KUBERNETES_UNREACHABLE: {
    faultDomain: 'kubernetes',
    retryable: true,
    httpStatus: 502,
    meaning: 'The Kubernetes API does not accept connections, or does not answer in time.',
    correction: 'Check the server of the kubeconfig, and that kube-apiserver runs on the controllers.',
  },
  KUBERNETES_TLS_UNTRUSTED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 502,
    meaning:
      "The certificate of the Kubernetes API is not one that the kubeconfig's authority has signed for it.",
    correction:
      'Correct certificate-authority-data or tls-server-name of the kubeconfig, or renew the certificate of the API.',
  },
  KUBERNETES_UNAUTHORIZED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 502,
    meaning: 'The Kubernetes API does not know the credentials of the kubeconfig, or they have expired.',
    correction: 'Make a new token or client certificate, and put it where `kubernetes.kubeconfig` refers to.',
  },
  KUBERNETES_FORBIDDEN: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 502,
    meaning: 'The account of the kubeconfig may not ask for this.',
    correction:
      'Give the account the role of docs/how-to/check-kubernetes.md: what the message names is missing from it.',
  },
  KUBERNETES_UNAVAILABLE: {
    faultDomain: 'kubernetes',
    retryable: true,
    httpStatus: 503,
    meaning: 'The Kubernetes API answers that it cannot serve the request now, or with an error of its own.',
    correction: 'Look at kube-apiserver and etcd on the controllers.',
  },
  KUBERNETES_REFUSED: {
    faultDomain: 'kubernetes',
    retryable: false,
    httpStatus: 502,
    meaning: 'The Kubernetes API refuses the request.',
    correction:
      'Read what the API says in the message; look whether it is a Kubernetes of a supported version.',
  },
  KUBERNETES_ANSWER_INVALID: {
    faultDomain: 'kubernetes',
    retryable: true,
    httpStatus: 502,
    meaning: 'What answers at the address is not what the Kubernetes API promises.',
    correction: 'Check the server of the kubeconfig, and what stands in front of it.',
  },
  KUBERNETES_POD_UNUSABLE: {
    faultDomain: 'kubernetes',
    retryable: true,
    httpStatus: 502,
    meaning: 'The pod that a command is to be run in is not there, or does not run.',
    correction: 'Start the pod that the message names, then resume.',
  },
  CEPH_COMMAND_FAILED: {
    faultDomain: 'storage',
    retryable: true,
    httpStatus: 502,
    meaning: '`ceph status` did not come to its end, or printed nothing that can be read.',
    correction:
      'Run `ceph status` at the place that the message names. If it hangs, the monitors have no quorum: start those that are down.',
  },
  KUBERNETES_COMMAND_FAILED: {
    faultDomain: 'kubernetes',
    retryable: true,
    httpStatus: 502,
    meaning: 'A command in a pod did not come to its end, or to one that says anything.',
    correction: 'Run the command that the message names by hand, and correct what it says.',
  },
} as const satisfies Record<string, CatalogueEntry>;
