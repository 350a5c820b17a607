import { bareAddress, sameAddress } from '../addresses.ts';
import { fail } from '../errors/failure.ts';
import { answeredJson, type Answers, type Questions } from './answers.ts';
import type { ContractInterface, HostFinding } from './finding.ts';

/** Of the interfaces that the script is given: how they came by their names, and what pins names on the host. */
export const INTERFACE_QUESTIONS: Questions = {
  addresses: 'ip -j addr show',
  names: [
    'for i in "$@"; do d=/sys/class/net/$i; test -e "$d" || continue',
    'echo "type $i $(cat "$d/name_assign_type" 2>/dev/null)"',
    'test -e "$d/device" && echo "device $i"',
    `udevadm info -q property -p "$d" 2>/dev/null | while read -r l; do case $l in ID_NET_*) echo "udev $i $l";; esac; done`,
    'done',
  ].join('\n'),
  pins: [
    'cat /etc/systemd/network/*.link /run/systemd/network/*.link 2>/dev/null',
    'cat /etc/udev/rules.d/*.rules /run/udev/rules.d/*.rules 2>/dev/null',
  ].join('\n'),
};

/** An interface as the host shows it. */
export interface Interface {
  readonly name: string;
  /** The one it was made with, where it shows another, as in a bond. */
  readonly mac: string | undefined;
  readonly up: boolean;
  readonly carrier: boolean;
  readonly addresses: readonly string[];
  /** Whether it will have this name after the next boot. */
  readonly persistent: boolean;
  /** Whether a device stands behind it, not only another interface. */
  readonly physical: boolean;
}

/** Names that the kernel gives, in the order in which it finds devices. */
const KERNEL_NAME = /^(eth|wlan|ib|usb)\d+$/;

export function readInterfaces(answers: Answers): Interface[] {
  const links = answeredJson(answers, 'addresses', 'ip -j addr show');
  if (!Array.isArray(links)) throw fail('HOST_ANSWER_INVALID', '`ip -j addr show` does not say a list.');
  const names = (answers['names']?.text ?? '').split('\n').map((line) => line.trim().split(/\s+/));
  const pins = (answers['pins']?.text ?? '').split('\n').filter((line) => !/^\s*#/.test(line));
  return (links as Record<string, unknown>[]).flatMap((link): Interface[] => {
    const name = link?.['ifname'];
    if (typeof name !== 'string') return [];
    const flags = Array.isArray(link['flags']) ? (link['flags'] as unknown[]) : [];
    const mac = link['permaddr'] ?? link['address'];
    const infos = Array.isArray(link['addr_info']) ? (link['addr_info'] as Record<string, unknown>[]) : [];
    return [
      {
        name,
        mac: typeof mac === 'string' ? mac.toLowerCase() : undefined,
        up: flags.includes('UP'),
        carrier: flags.includes('LOWER_UP') && !flags.includes('NO-CARRIER'),
        addresses: infos.flatMap(({ local }) => (typeof local === 'string' ? [local] : [])),
        persistent: isPersistent(name, names, pins),
        physical: names.some(([word, of]) => word === 'device' && of === name),
      },
    ];
  });
}

/**
 * The kernel says how a name came about: 2, it follows from what the device is; 3, whoever made the interface gave
 * it; 4, it was renamed, which udev does by a rule. 1, the kernel counted: then only a rule that gives just that name
 * holds it. Where it does not say, the name itself does.
 */
function isPersistent(name: string, names: readonly (readonly string[])[], pins: readonly string[]): boolean {
  const type = names.find(([word, of]) => word === 'type' && of === name)?.[2];
  if (type === '2' || type === '3' || type === '4') return true;
  if (type === undefined && !KERNEL_NAME.test(name)) return true;
  const udev = names.flatMap(([word, of, said]) => (word === 'udev' && of === name ? [said] : []));
  if (udev.includes(`ID_NET_NAME=${name}`)) return true;
  const given = [`Name=${name}`, `NAME="${name}"`, `NAME:="${name}"`];
  return pins.some((line) => line.split(/[,\s]+/).some((word) => given.includes(word)));
}

/**
 * Whether the interfaces of a controller are there as the contract says.
 *
 * @param others those of the other controllers, by the controller's name
 */
export function judgeInterfaces(
  wanted: readonly ContractInterface[],
  seen: readonly Interface[],
  others: ReadonlyMap<string, readonly Interface[]>,
): HostFinding[] {
  return wanted.flatMap((each) => {
    const found = seen.find(({ name }) => name === each.name);
    return found === undefined ? [absent(each, seen)] : judgeOne(each, found, seen, others);
  });
}

function absent({ name, mac }: ContractInterface, seen: readonly Interface[]): HostFinding {
  const byMac = mac === undefined ? undefined : seen.find((each) => each.mac === mac);
  return byMac === undefined
    ? {
        message: `It has no interface ${name}; it has ${seen
          .map((each) => each.name)
          .slice(0, 12)
          .join(', ')}.`,
        correction:
          'Look whether the card is seated and its driver loaded, or correct the name in the contract.',
      }
    : {
        message: `It has no interface ${name}; the one with ${mac} is called ${byMac.name}.`,
        correction: `Correct the name in the contract, or pin it: \`[Match] PermanentMACAddress=${mac}\`, \`[Link] Name=${name}\` in /etc/systemd/network/10-${name}.link.`,
      };
}

function judgeOne(
  { name, mac, address }: ContractInterface,
  found: Interface,
  seen: readonly Interface[],
  others: ReadonlyMap<string, readonly Interface[]>,
): HostFinding[] {
  const findings: HostFinding[] = [];
  const say = (message: string, correction: string): number => findings.push({ message, correction });
  if (mac !== undefined && found.mac !== mac) {
    const whose = seen.find((each) => each.mac === mac)?.name;
    say(
      `${name} has the MAC address ${found.mac ?? 'none'}, and the contract says ${mac}${whose === undefined ? '' : `, which ${whose} has`}.`,
      'Look which card it is (`ethtool -p`), and correct the cabling, the name or the contract.',
    );
  }
  if (!found.up) {
    say(
      `${name} is down.`,
      `Run \`ip link set ${name} up\` on it, and let its network configuration do so at boot.`,
    );
  } else if (!found.carrier) {
    say(`${name} has no carrier.`, 'Look at the cable, the transceiver and the port of the switch.');
  }
  if (!found.persistent) {
    say(
      `${name} is a name that the kernel gave in the order of discovery: it may be another card's after the next boot.`,
      `Pin it: \`[Match] PermanentMACAddress=${found.mac ?? '…'}\`, \`[Link] Name=…\` in a .link file of /etc/systemd/network; a name that does not begin as the kernel's do is safe.`,
    );
  }
  if (address !== undefined && !found.addresses.some((each) => sameAddress(bareAddress(each), address))) {
    say(
      `${name} does not have the address ${address}; it has ${found.addresses.join(', ') || 'none'}.`,
      `Give it the address in its network configuration, or correct \`interfaces[].address\`.`,
    );
  }
  const twin = found.physical
    ? seen.find((each) => each.physical && each.name !== name && each.mac === found.mac)?.name
    : undefined;
  const elsewhere = [...others].flatMap(([host, theirs]) =>
    theirs.some((each) => each.mac === found.mac && found.mac !== undefined) ? [host] : [],
  )[0];
  if (twin !== undefined || elsewhere !== undefined) {
    say(
      `${name} has the MAC address ${found.mac}, and so has ${elsewhere === undefined ? twin : `an interface of ${elsewhere}`}.`,
      'Give one of them an address of its own: look for a copied MACAddress= or HWADDR in its network configuration.',
    );
  }
  return findings;
}
