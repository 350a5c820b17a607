import type { Answers, Questions } from './answers.ts';
import type { HostFinding } from './finding.ts';

export const IDENTITY_QUESTIONS: Questions = {
  hostname: 'cat /proc/sys/kernel/hostname',
  'static-hostname': 'cat /etc/hostname',
  'machine-id': 'cat /etc/machine-id',
  'boot-id': 'cat /proc/sys/kernel/random/boot_id',
  'product-uuid': 'as_root cat /sys/class/dmi/id/product_uuid',
  'host-keys': 'cat /etc/ssh/ssh_host_*_key.pub',
};

/** What tells a host from others; undefined: it does not say. */
export interface Identity {
  readonly hostname: string | undefined;
  readonly staticHostname: string | undefined;
  readonly machineId: string | undefined;
  readonly bootId: string | undefined;
  readonly productUuid: string | undefined;
  /** The keys of its SSH server, without what they are called. */
  readonly hostKeys: readonly string[];
}

/** UUIDs that boards have on which nobody wrote one: two hosts may have them. */
const NO_UUID = /^(0{8}-(0{4}-){3}0{12}|f{8}-(f{4}-){3}f{12}|03000200-0400-0500-0006-000700080009)$/i;
const MACHINE_ID = /^[0-9a-f]{32}$/;

export function readIdentity(answers: Answers): Identity {
  const firstLine = (name: string): string | undefined =>
    (answers[name]?.exit === 0 ? answers[name].text : '')
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '' && !line.startsWith('#'));
  const uuid = firstLine('product-uuid');
  const keys = (answers['host-keys']?.text ?? '').matchAll(/^((?:ssh|ecdsa)-\S+ [A-Za-z0-9+/=]{32,})/gm);
  return {
    hostname: firstLine('hostname'),
    staticHostname: firstLine('static-hostname'),
    machineId: firstLine('machine-id'),
    bootId: firstLine('boot-id'),
    productUuid: uuid === undefined || NO_UUID.test(uuid) ? undefined : uuid.toLowerCase(),
    hostKeys: [...keys].map(([, key]) => key!),
  };
}

/**
 * Whether a host is the one that is meant, and no other one.
 *
 * @param expected its static host name, by the contract
 * @param others the other controllers that answered, by name
 */
export function judgeIdentity(
  expected: string,
  own: Identity,
  others: ReadonlyMap<string, Identity>,
): HostFinding[] {
  return [...sameMachine(own, others), ...judgeName(expected, own), ...judgeMachineId(own)];
}

function judgeName(expected: string, { hostname, staticHostname }: Identity): HostFinding[] {
  const set = `hostnamectl set-hostname ${expected}`;
  if (staticHostname === undefined) {
    return [
      {
        message: `It has no static host name (/etc/hostname); the contract says ${expected}.`,
        correction: `Run \`${set}\` on it.`,
      },
    ];
  }
  if (staticHostname !== expected) {
    return [
      {
        message: `Its static host name is ${staticHostname}, and the contract says ${expected}.`,
        correction: `Run \`${set}\` on it; or, if it is the right host, write \`hostname: ${staticHostname}\` to the controller.`,
      },
    ];
  }
  return hostname === staticHostname
    ? []
    : [
        {
          message: `It calls itself ${hostname ?? 'nothing'}, and its static host name is ${staticHostname}: one of them goes at the next boot.`,
          correction: `Run \`${set}\` on it, and let no DHCP server name it.`,
        },
      ];
}

function judgeMachineId({ machineId }: Identity): HostFinding[] {
  if (machineId !== undefined && MACHINE_ID.test(machineId) && !/^0+$/.test(machineId)) return [];
  return [
    {
      message: `Its /etc/machine-id holds ${machineId === undefined ? 'nothing' : `no id: ${machineId.slice(0, 40)}`}.`,
      correction: 'Run `systemd-machine-id-setup` on it, and restart it.',
    },
  ];
}

/** What two hosts can only have in common if they are one, or one is a copy of the other. */
function sameMachine(own: Identity, others: ReadonlyMap<string, Identity>): HostFinding[] {
  const findings: HostFinding[] = [];
  for (const [name, other] of others) {
    const same = <K extends 'bootId' | 'productUuid' | 'machineId'>(key: K): boolean =>
      own[key] !== undefined && own[key] === other[key];
    if (same('bootId') || same('productUuid')) {
      findings.push({
        message: `It and ${name} are the same machine: they have one ${same('bootId') ? 'boot id' : `system UUID, ${own.productUuid}`}.`,
        correction: 'Correct `address` or `ssh.host` of one of the two in the contract.',
        faultDomain: 'contract',
      });
    } else if (same('machineId')) {
      findings.push({
        message: `It and ${name} have one machine-id, ${own.machineId}: one was copied from the other.`,
        correction:
          'On the copy run `rm /etc/machine-id /var/lib/dbus/machine-id; systemd-machine-id-setup`, and restart it.',
      });
    } else if (own.hostKeys.some((key) => other.hostKeys.includes(key))) {
      findings.push({
        message: `It and ${name} have one SSH host key: one was copied from the other.`,
        correction:
          'On the copy run `rm /etc/ssh/ssh_host_*; ssh-keygen -A`, restart sshd, and write the new key to `hostKey`.',
      });
    }
  }
  return findings;
}
