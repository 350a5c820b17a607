import type { HostFinding } from '../host/finding.ts';
import type { FaultDomain } from '../fault-domains.ts';
import { endpointOf, shownProbe, type Probe, type Probed } from './probe.ts';

/** What has to be reached, and whose it is if it is not. */
export interface Reached {
  readonly probe: Probe;
  /** As in `the BMC of gpu-01`. */
  readonly what: string;
  /** Whose it is where it refuses, or shows another certificate. */
  readonly owner: FaultDomain;
  /** Whose the way to it is. */
  readonly way: FaultDomain;
}

/** What is wrong for certain, and what could not be told: nothing came back, no address was found, it is out of order. */
export interface JudgedReach {
  readonly wrong: readonly HostFinding[];
  readonly silent: readonly string[];
  readonly nameless: readonly string[];
  readonly unable: readonly string[];
}

const NO_WAY: { readonly [outcome: string]: string } = {
  EHOSTUNREACH: 'has no route to it, or nobody has that address',
  ENETUNREACH: 'has no route to it',
  EADDRNOTAVAIL: 'has no address from which it could be reached',
  EACCES: 'is not allowed to connect to it by its own firewall',
  EPERM: 'is not allowed to connect to it by its own firewall',
};

/**
 * How the connections of one place went. Whatever an HTTP server says shows that it was reached, but for a 5xx: that
 * may be of one that stands before it, and does not reach it either.
 *
 * @param from the place, as in `vantage point jump`
 */
export function judgeReach(from: string, wanted: readonly Reached[], probed: readonly Probed[]): JudgedReach {
  const wrong: HostFinding[] = [];
  const [silent, nameless, unable]: [string[], string[], string[]] = [[], [], []];
  for (const [index, { probe, what, owner, way }] of wanted.entries()) {
    const { outcome, status } = probed[index] ?? { outcome: 'not tried', status: undefined };
    const shown = `${what} (${shownProbe(probe)})`;
    if (outcome === 'open') continue;
    if (outcome === 'answered') {
      if (status !== undefined && status >= 500) unable.push(`${shown}: HTTP ${status}`);
    } else if (outcome === 'refused') {
      wrong.push({
        message: `${shown} refuses the connection from ${from}: the host is there, and nothing listens at that port.`,
        correction: 'Start what has to listen there, or correct address and port where they are named.',
        faultDomain: owner,
      });
    } else if (outcome === 'untrusted') {
      wrong.push({
        message: `${shown} shows a certificate that ${from} does not trust for it.`,
        correction:
          'Renew the certificate, with the name that it is asked by; or give the contract the CA that it is of.',
        faultDomain: owner,
      });
    } else if (outcome === 'no TLS') {
      wrong.push({
        message: `${shown} speaks no TLS, tried from ${from}.`,
        correction: 'Let TLS end there, or write the URL with http where it is named.',
        faultDomain: owner,
      });
    } else if (outcome === 'ENOTFOUND') {
      const { address } = endpointOf(probe);
      wrong.push({
        message: `The name ${address} of ${shown} has no address from ${from}.`,
        correction: `Let the DNS that is asked there have ${address}, or correct the name where it is written.`,
        faultDomain: way,
      });
    } else if (NO_WAY[outcome] !== undefined) {
      wrong.push({
        message: `${from} does not reach ${shown}: it ${NO_WAY[outcome]}.`,
        correction: `Look at \`ip route get ${endpointOf(probe).address}\` and at the firewall there, and add the route.`,
        faultDomain: way,
      });
    } else if (outcome === 'EAI_AGAIN') nameless.push(shown);
    else silent.push(outcome === 'silent' ? shown : `${shown}: ${outcome}`);
  }
  return { wrong, silent, nameless, unable };
}
