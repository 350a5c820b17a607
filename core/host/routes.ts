import { sameAddress } from '../addresses.ts';
import type { Knock } from '../agent/reach.ts';
import { shownEndpoint } from '../agent/reach.ts';
import type { FaultDomain } from '../fault-domains.ts';
import type { Answers, Questions } from './answers.ts';
import type { ContractHost, HostFinding } from './finding.ts';

/** Of gateways that the script is given: whether one answers, which way leads to it, and who has its address. */
export const GATEWAY_QUESTIONS: Questions = {
  gateways: [
    // A host that has no ping, or a gateway that answers none, opens a connection: a refusal is an answer, too.
    'try() { ping -n -c 1 -W 4 "$1" >/dev/null 2>&1; r=$?; m=; n=0',
    `test "$r" = 0 || m=$(timeout 4 bash -c 'exec 3<>"/dev/tcp/$0/9"' "$1" 2>&1 && echo open)`,
    // Until the kernel has asked anew who has the address: what it still knew is from before.
    'while test "$r" != 0 -a "$n" -lt 10; do case "$m $(ip neigh show to "$1" 2>/dev/null)" in',
    '*refused*) break;; *STALE*|*DELAY*|*PROBE*|*INCOMPLETE*) sleep 1; n=$((n + 1));; *) break;; esac; done',
    'echo "gateway $1 ping $r"; echo "gateway $1 tcp" $m; echo "gateway $1 route" $(ip route get "$1" 2>&1)',
    'echo "gateway $1 neighbour" $(ip neigh show to "$1" 2>/dev/null); }',
    'for g in "$@"; do try "$g" & done; wait',
  ].join('\n'),
};

/** What a controller has to reach. `host`: a refusal will do, it comes from there. `service`: something listens. */
export interface Route {
  readonly what: string;
  readonly address: string;
  readonly port: number;
  readonly wants: 'host' | 'service';
  /** Whose a refusal is. */
  readonly refusedBy: FaultDomain;
}

/** The BMC of a node or of a controller. */
export interface ContractBmc {
  readonly of: string;
  /** Its URL. */
  readonly address: string;
}

/** The TCP connections of a controller: to the others, to what it has to reach, and to every BMC. */
export function routesFrom(
  own: ContractHost,
  all: readonly ContractHost[],
  bmcs: readonly ContractBmc[],
): Route[] {
  const others = all.filter(({ name }) => name !== own.name);
  const shares = (network: string | undefined): boolean =>
    network !== undefined && (own.interfaces ?? []).some((each) => each.network === network);
  const toHost = (what: string, address: string, port = 22): Route => ({
    what,
    address,
    port,
    wants: 'host',
    refusedBy: 'control-host',
  });
  const routes: Route[] = [
    ...others.map(({ name, address, ssh }) => toHost(`controller ${name}`, address, ssh?.port)),
    ...others.flatMap(({ name, interfaces = [], ssh }) =>
      interfaces.flatMap(({ address, network }) =>
        address !== undefined && shares(network)
          ? [toHost(`controller ${name} in ${network}`, address, ssh?.port)]
          : [],
      ),
    ),
    ...(own.reaches ?? []).map(({ host, port }): Route => ({
      what: 'what it has to reach',
      address: host,
      port,
      wants: 'service',
      refusedBy: 'control-host',
    })),
    ...bmcs.map(({ of, address }): Route => {
      const { hostname, port, protocol } = new URL(address);
      return {
        what: `the BMC of ${of}`,
        address: hostname.replace(/^\[|\]$/g, ''),
        port: Number(port) || (protocol === 'http:' ? 80 : 443),
        wants: 'service',
        refusedBy: 'bmc',
      };
    }),
  ];
  const seen = new Set<string>();
  return routes.filter(({ address, port }) => {
    const key = `${address} ${port}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The gateways of the networks that a controller has an interface in. */
export function gatewaysOf(
  { interfaces = [] }: ContractHost,
  networks: { readonly [name: string]: { readonly gateway?: string | undefined } },
): { readonly network: string; readonly gateway: string }[] {
  return [...new Set(interfaces.flatMap(({ network }) => network ?? []))].flatMap((network) => {
    const gateway = networks[network]?.gateway;
    return gateway === undefined ? [] : [{ network, gateway }];
  });
}

/**
 * What is wrong for certain; what neither accepts nor refuses, of which nothing can be told; and what could not be
 * tried, since the host finds no address for its name.
 */
export interface Judged {
  readonly wrong: readonly HostFinding[];
  readonly silent: readonly string[];
  readonly nameless: readonly string[];
}

const NO_WAY: { readonly [outcome: string]: string } = {
  EHOSTUNREACH: 'has no route to it, or nobody has that address',
  ENETUNREACH: 'has no route to it',
  EADDRNOTAVAIL: 'has no address from which it could be reached',
  EACCES: 'is not allowed to connect to it by its own firewall',
};

/** How the connections of a controller went. */
export function judgeRoutes(routes: readonly Route[], knocks: readonly Knock[]): Judged {
  const wrong: HostFinding[] = [];
  const silent: string[] = [];
  const nameless: string[] = [];
  const outcomes = new Map(knocks.map(({ address, port, outcome }) => [`${address} ${port}`, outcome]));
  for (const route of routes) {
    const { what, address, port, wants, refusedBy } = route;
    const shown = `${what} (${shownEndpoint({ address, port })})`;
    const outcome = outcomes.get(`${address} ${port}`);
    if (outcome === 'open' || (outcome === 'refused' && wants === 'host')) continue;
    if (outcome === 'refused') {
      wrong.push({
        message: `It is refused by ${shown}: the host is there, and nothing listens at that port.`,
        correction: 'Start what has to listen there, or correct address and port in the contract.',
        faultDomain: refusedBy,
      });
    } else if (outcome !== undefined && NO_WAY[outcome] !== undefined) {
      wrong.push({
        message: `It does not reach ${shown}: it ${NO_WAY[outcome]}.`,
        correction:
          outcome === 'EACCES'
            ? 'Look at `nft list ruleset` on it.'
            : `Look at \`ip route get ${address}\` on it, and add the route there or at its gateway.`,
      });
    } else if (outcome === 'ENOTFOUND') nameless.push(shown);
    else silent.push(outcome === 'silent' ? shown : `${shown}: ${outcome ?? 'not tried'}`);
  }
  return { wrong, silent, nameless };
}

/** How the gateways of a controller's networks answered. An address that somebody has on the link is there. */
export function judgeGateways(
  gateways: readonly { readonly network: string; readonly gateway: string }[],
  answers: Answers,
): Judged {
  const wrong: HostFinding[] = [];
  const silent: string[] = [];
  const lines = (answers['gateways']?.text ?? '').split('\n').map((line) => line.trim().split(/\s+/));
  for (const { network, gateway } of gateways) {
    const said = (word: string): string =>
      lines
        .find(([first, of, what]) => first === 'gateway' && of === gateway && what === word)
        ?.slice(3)
        .join(' ') ?? '';
    const shown = `the gateway of ${network} (${gateway})`;
    const [, via] = / via (\S+)/.exec(said('route')) ?? [];
    const check = `Look at \`ip route get ${gateway}\` on it: its interface in ${network} needs an address of that network.`;
    const answered = said('ping') === '0' || /refused|^open$/i.test(said('tcp'));
    if (/unreachable|prohibit|blackhole/i.test(said('route'))) {
      wrong.push({ message: `It has no route to ${shown}.`, correction: check });
    } else if (via !== undefined && !sameAddress(via, gateway)) {
      wrong.push({ message: `It reaches for ${shown} by another gateway, ${via}.`, correction: check });
    } else if (answered || /REACHABLE|PERMANENT|NOARP/.test(said('neighbour'))) {
      continue;
    } else if (/FAILED|INCOMPLETE/.test(said('neighbour'))) {
      wrong.push({
        message: `Nobody on the link has the address of ${shown}.`,
        correction: `Look at the router, at the VLAN of the switch port, and at \`networks.${network}.gateway\` in the contract.`,
      });
    } else silent.push(shown);
  }
  return { wrong, silent, nameless: [] };
}
