import {
  nameOf,
  type DaemonSetObject,
  type DeploymentObject,
  type Found,
  type Meta,
  type StatefulSetObject,
} from './shapes.ts';

const where = ({ metadata }: { readonly metadata?: Meta }): string =>
  `kubectl -n ${metadata?.namespace ?? 'default'}`;

/** What a controller has not acted on yet says nothing of the present wish. */
function unseen(
  kind: string,
  object: { readonly metadata?: Meta; readonly status?: { readonly observedGeneration?: number } },
): Found[] {
  const { generation = 0 } = object.metadata ?? {};
  const seen = object.status?.observedGeneration ?? 0;
  if (seen >= generation) return [];
  return [
    {
      message: `${kind} ${nameOf(object)}: its controller has not acted on the last change (generation ${generation}, seen ${seen}).`,
      correction:
        'Look at kube-controller-manager: kubectl -n kube-system get pods; its log says why it does not act.',
    },
  ];
}

const short = (
  kind: string,
  object: { readonly metadata?: Meta },
  has: number,
  wanted: number,
  of: string,
): Found[] =>
  has >= wanted
    ? []
    : [
        {
          message: `${kind} ${nameOf(object)} has ${has} of ${wanted} ${of}.`,
          correction: `${where(object)} describe ${kind.toLowerCase()} ${nameOf(object)}, and its pods: what keeps them is told there.`,
        },
      ];

const notRolledOut = (kind: string, object: { readonly metadata?: Meta }, what: string): Found => ({
  message: `${kind} ${nameOf(object)} is not rolled out: ${what}.`,
  correction: `${where(object)} rollout status ${kind.toLowerCase()}/${nameOf(object)}; if it does not move: ${where(object)} rollout undo ${kind.toLowerCase()}/${nameOf(object)}.`,
});

export function judgeDeployment(object: DeploymentObject): Found[] {
  const stale = unseen('Deployment', object);
  if (stale.length > 0) return stale;
  const wanted = object.spec?.replicas ?? 1;
  const { availableReplicas = 0, updatedReplicas = 0 } = object.status ?? {};
  const found = short('Deployment', object, availableReplicas, wanted, 'replicas available');
  if (found.length > 0 || updatedReplicas >= wanted) return found;
  return [
    notRolledOut('Deployment', object, `${updatedReplicas} of ${wanted} replicas are of its present form`),
  ];
}

export function judgeStatefulSet(object: StatefulSetObject): Found[] {
  const stale = unseen('StatefulSet', object);
  if (stale.length > 0) return stale;
  const wanted = object.spec?.replicas ?? 1;
  const { readyReplicas = 0, updatedReplicas = 0, currentRevision, updateRevision } = object.status ?? {};
  const found = short('StatefulSet', object, readyReplicas, wanted, 'replicas ready');
  const { type, rollingUpdate } = object.spec?.updateStrategy ?? {};
  if (found.length > 0 || type === 'OnDelete' || currentRevision === updateRevision) return found;
  const { partition = 0 } = rollingUpdate ?? {};
  if (partition <= 0) {
    return [notRolledOut('StatefulSet', object, 'some replicas are of its form before the last change')];
  }
  // Those below the partition keep their form on purpose, so that the two revisions stay apart.
  const due = Math.max(0, wanted - partition);
  if (updatedReplicas >= due) return [];
  const what = `${updatedReplicas} of the ${due} replicas from its partition on are of its present form`;
  return [notRolledOut('StatefulSet', object, what)];
}

export function judgeDaemonSet(object: DaemonSetObject): Found[] {
  const stale = unseen('DaemonSet', object);
  if (stale.length > 0) return stale;
  const {
    desiredNumberScheduled: wanted = 0,
    numberAvailable = 0,
    updatedNumberScheduled = 0,
  } = object.status ?? {};
  const found = short('DaemonSet', object, numberAvailable, wanted, 'nodes served');
  const onDelete = object.spec?.updateStrategy?.type === 'OnDelete';
  if (found.length > 0 || onDelete || updatedNumberScheduled >= wanted) return found;
  return [
    notRolledOut('DaemonSet', object, `${updatedNumberScheduled} of ${wanted} nodes have its present form`),
  ];
}
