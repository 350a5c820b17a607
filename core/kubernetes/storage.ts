import { nameOf, type ClaimObject, type Found, type PodObject, type StorageClassObject } from './shapes.ts';

/** A storage class as the contract wants it. */
export interface WantedClass {
  readonly name: string;
  readonly provisioner?: string | undefined;
  readonly default?: boolean | undefined;
}

const DEFAULT = 'storageclass.kubernetes.io/is-default-class';

const isDefault = ({ metadata }: StorageClassObject): boolean => metadata?.annotations?.[DEFAULT] === 'true';

/** Whether a class is there, and is what the contract says. */
export function judgeClass(wanted: WantedClass, classes: readonly StorageClassObject[]): Found[] {
  const { name } = wanted;
  const found = classes.find((each) => each.metadata?.name === name);
  if (!found) {
    const there = classes.map(nameOf).join(', ') || 'none';
    return [
      {
        message: `There is no storage class ${name}; there is: ${there}.`,
        correction: `Create ${name} (kubectl apply -f …), or correct \`kubernetes.storageClasses\`.`,
      },
    ];
  }
  const wrong: Found[] = [];
  if (wanted.provisioner !== undefined && found.provisioner !== wanted.provisioner) {
    wrong.push({
      message: `Storage class ${name} is provisioned by ${found.provisioner ?? 'nobody'}, not by ${wanted.provisioner}.`,
      correction: `Create ${name} anew with \`provisioner: ${wanted.provisioner}\` (the field cannot be changed), or correct the contract.`,
    });
  }
  if (wanted.default === undefined || wanted.default === isDefault(found)) {
    const rivals = wanted.default === true ? classes.filter((each) => each !== found && isDefault(each)) : [];
    if (rivals.length > 0) {
      wrong.push({
        message: `Beside ${name}, ${rivals.map(nameOf).join(', ')} is marked as the default class too.`,
        correction: rivals.map((each) => mark(nameOf(each), false)).join('; '),
      });
    }
    return wrong;
  }
  wrong.push({
    message: wanted.default
      ? `Storage class ${name} is not the default class.`
      : `Storage class ${name} is the default class, and is not to be.`,
    correction: mark(name, wanted.default),
  });
  return wrong;
}

const mark = (name: string, on: boolean): string =>
  `kubectl annotate storageclass ${name} ${DEFAULT}=${on} --overwrite`;

/** Whether a claim has its volume, or is right to have none yet: where its class waits for a pod, and none came. */
export function judgeClaim(
  claim: ClaimObject,
  classes: readonly StorageClassObject[],
  pods: readonly PodObject[],
): Found[] {
  const name = nameOf(claim);
  const where = `kubectl -n ${claim.metadata?.namespace ?? 'default'}`;
  const { phase = 'Pending' } = claim.status ?? {};
  if (phase === 'Bound' || claim.metadata?.deletionTimestamp) return [];
  if (phase === 'Lost') {
    return [
      {
        message: `Claim ${name} is Lost: its volume ${claim.spec?.volumeName ?? ''} is gone, and what it held.`,
        correction: `Restore the volume ${claim.spec?.volumeName ?? ''}, or have the claim made anew: ${where} delete pvc ${name}.`,
      },
    ];
  }
  const className = claim.spec?.storageClassName;
  const own = classes.find((each) => each.metadata?.name === className);
  if (className !== undefined && className !== '' && !own) {
    return [
      {
        message: `Claim ${name} is ${phase}: its storage class ${className} does not exist.`,
        correction: `Create storage class ${className}, or make the claim anew with one that there is.`,
      },
    ];
  }
  const users = pods.filter((pod) =>
    pod.spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name),
  );
  const waits = own?.volumeBindingMode === 'WaitForFirstConsumer';
  if (waits && users.length === 0) return [];
  const by = own
    ? `${own.provisioner ?? 'its provisioner'} (class ${className})`
    : 'no class: a volume by hand';
  return [
    {
      message: `Claim ${name} is ${phase}, not Bound; who has to provide its volume is ${by}${waits ? `, and pod ${nameOf(users[0]!)} waits for it` : ''}.`,
      correction: `${where} describe pvc ${name} shows what the provisioner says; look whether it runs.`,
    },
  ];
}
