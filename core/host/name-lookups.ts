import { parseAddress, parseCidr, isInNetwork, sameAddress, bareAddress } from '../addresses.ts';
import { fail } from '../errors/failure.ts';
import { answered, type Answers, type Questions } from './answers.ts';
import { hostNameOf, type ContractHost, type HostFinding } from './finding.ts';

/** Looks up each name that the script is given, all at once: exit code, seconds, and the addresses. */
export const LOOKUP_QUESTIONS: Questions = {
  getent: 'command -v getent',
  lookups: [
    'look() { s=$(date +%s); a=$(getent ahosts "$1"); r=$?; e=$(($(date +%s) - s))',
    `echo "name $1 $r $e" $(printf '%s\\n' "$a" | while read -r x _; do echo "$x"; done); }`,
    'for n in "$@"; do look "$n" & done; wait',
  ].join('\n'),
};

/** A name that is not found after as long as this was not answered for: resolvers wait five seconds and more. */
const SILENT_SECONDS = 5;
const LOOPBACK = ['127.0.0.0/8', '::1/128'].map((cidr) => parseCidr(cidr)!);

const isLoopback = (text: string): boolean => {
  const address = parseAddress(bareAddress(text));
  return address !== undefined && LOOPBACK.some((cidr) => isInNetwork(address, cidr));
};
const isLinkLocal = (text: string): boolean => /^fe[89ab]/i.test(text);

/** Addresses by name; undefined: the name is not found. Throws where that cannot be told. */
export function readLookups(answers: Answers, names: readonly string[]): Map<string, readonly string[]> {
  if (answers['getent']?.exit !== 0) answered({}, 'getent', 'getent');
  const lines = (answers['lookups']?.text ?? '').split('\n').map((line) => line.trim().split(/\s+/));
  return new Map(
    names.map((name) => {
      const line = lines.find(([word, of]) => word === 'name' && of === name);
      if (line === undefined) throw fail('HOST_ANSWER_INVALID', `It does not say how it looked up ${name}.`);
      const [, , exit, seconds, ...addresses] = line;
      if (exit !== '0' && Number(seconds) >= SILENT_SECONDS) {
        throw fail('HOST_RESOLVER_SILENT', `It did not find ${name}, and took ${seconds} s for it.`);
      }
      return [name, [...new Set(addresses)]];
    }),
  );
}

/** Whether a controller finds itself and the others by name, at the addresses of the contract. */
export function judgeLookups(
  own: ContractHost,
  all: readonly ContractHost[],
  found: ReadonlyMap<string, readonly string[]>,
): HostFinding[] {
  return all.flatMap((host) => {
    const name = hostNameOf(host);
    const addresses = found.get(name) ?? [];
    const entry = `Let DNS, or /etc/hosts on it, say \`${host.address} ${name}\``;
    const whose = host.name === own.name ? 'its own name' : 'the name';
    if (addresses.length === 0) {
      return [{ message: `It does not find ${whose} ${name}.`, correction: `${entry}.` }];
    }
    const at = addresses.join(', ');
    if (addresses.every(isLoopback) && !isLoopback(host.address)) {
      return [
        {
          message: `It finds ${whose} ${name} at ${at}, which is itself on every host; the contract says ${host.address}.`,
          correction: `${entry}, and remove the line with ${addresses[0]} from /etc/hosts.`,
        },
      ];
    }
    if (parseAddress(host.address) === undefined) return [];
    if (!addresses.some((address) => sameAddress(address, host.address))) {
      return [
        {
          message: `It finds ${whose} ${name} at ${at}; the contract says ${host.address}.`,
          correction: `${entry}; or correct \`address\` of controller ${host.name} in the contract.`,
        },
      ];
    }
    const strange = host.name === own.name ? [] : addresses.filter((each) => !isOneOf(each, host));
    return strange.length === 0
      ? []
      : [
          {
            message: `It finds ${whose} ${name} also at ${strange.join(', ')}, which the contract does not give to that host.`,
            correction: `Remove the entry from DNS or from /etc/hosts on it; or name the address in \`interfaces[].address\` of controller ${host.name}.`,
          },
        ];
  });
}

const isOneOf = (address: string, { address: own, interfaces = [] }: ContractHost): boolean =>
  isLinkLocal(address) ||
  [own, ...interfaces.map((each) => each.address)].some(
    (each) => each !== undefined && sameAddress(each, address),
  );

/** Names that controllers find at different addresses, where the contract does not say at which. */
export function judgeConsistency(
  all: readonly ContractHost[],
  own: ContractHost,
  seen: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>,
): HostFinding[] {
  return all.flatMap((host) => {
    if (parseAddress(host.address) !== undefined || host.name === own.name) return [];
    const name = hostNameOf(host);
    const at = (where: string): string => [...(seen.get(where)?.get(name) ?? [])].sort().join(', ');
    const other = [...seen.keys()].find((each) => each !== host.name && at(each) !== at(own.name));
    return other === undefined || at(own.name) === ''
      ? []
      : [
          {
            message: `It finds ${name} at ${at(own.name)}, and ${other} finds it at ${at(other) || 'no address'}.`,
            correction: `Let both ask the same DNS server, or have the same line in /etc/hosts.`,
          },
        ];
  });
}
