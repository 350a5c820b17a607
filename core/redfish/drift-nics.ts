import { cablingOf, type PortCabling } from '../cabling.ts';
import type { Baseline } from './baseline.ts';
import type { Drift, Finding } from './findings.ts';
import type { Look, SeenNic } from './look.ts';

/** A place of a network interface: which collection of a resource, and the ids on the way to it. */
interface Place {
  readonly shape: string;
  readonly ids: string;
  readonly name: string;
}

/** Reads a URI such as `/redfish/v1/Chassis/1/NetworkAdapters/NIC/Ports/2`. */
function placeOf(uri: string): Place {
  const parts = uri.split('/').filter((part) => part !== '');
  // The root, and which system or chassis it is: a new firmware of the BMC may call that another way.
  const rest = parts.slice(parts[0] === 'redfish' ? 4 : 0);
  return {
    shape: [parts[2], ...rest.filter((_, i) => i % 2 === 0)].join('/'),
    ids: rest.filter((_, i) => i % 2 === 1).join('/'),
    name: parts.at(-1) ?? uri,
  };
}

/** The interface's old name and its new one, where a collection has it under another. */
function renamed(was: readonly string[], is: readonly string[]): [string, string] | undefined {
  const before = was.map(placeOf);
  const now = is.map(placeOf);
  for (const shape of new Set(now.map((place) => place.shape))) {
    const [old, fresh] = [before, now].map((all) => all.filter((place) => place.shape === shape));
    const kept = fresh!.some(({ ids }) => old!.some((place) => place.ids === ids));
    if (old!.length === 0 || kept) continue;
    const differs = old![0]!.name !== fresh![0]!.name;
    return differs ? [old![0]!.name, fresh![0]!.name] : [old![0]!.ids, fresh![0]!.ids];
  }
  return undefined;
}

const nameOf = ({ mac, uris }: SeenNic): string => {
  const [uri] = uris;
  return uri === undefined ? mac : `${mac} (${placeOf(uri).name})`;
};

/** Network interfaces that are gone, renamed, replaced, or plugged in elsewhere. */
export function driftOfNics(was: Baseline, is: Look): Drift {
  const findings: Finding[] = [];
  const untold: string[] = [];
  const fresh = is.nics.filter(({ mac }) => was.nics.every((nic) => nic.mac !== mac));
  const left = new Set(fresh);
  const missing: SeenNic[] = [];

  for (const nic of was.nics) {
    const now = is.nics.find(({ mac }) => mac === nic.mac);
    if (now !== undefined) {
      findings.push(...moved(nic, now));
      continue;
    }
    const successor = fresh.find((each) => left.has(each) && each.uris.some((uri) => nic.uris.includes(uri)));
    if (successor !== undefined) {
      left.delete(successor);
      findings.push({
        what: 'NIC replaced',
        was: nameOf(nic),
        is: nameOf(successor),
        faultDomain: 'hardware',
        correction:
          'If the adapter was swapped on purpose: change its MAC in the contract where it has one, and inspect with `accept`.',
      });
    } else if (is.blurred.includes(nic.mac) || nic.uris.some((uri) => is.blurred.includes(uri))) {
      untold.push(`the MAC of ${nameOf(nic)}`);
    } else if (is.unsure.includes('nics')) untold.push(`${nameOf(nic)} (not all could be read)`);
    else if (!is.on && !nic.seenOff) untold.push(`${nameOf(nic)} (shown only of a host that is on)`);
    else missing.push(nic);
  }
  if (missing.length > 1 && is.nics.length === 0) {
    findings.push({
      what: 'all NICs gone',
      was: `${missing.length} NICs`,
      is: 'none',
      faultDomain: 'bmc',
      correction: 'Reset the BMC: many forget the interfaces until the host was booted once after a reset.',
    });
  } else findings.push(...missing.map(gone));
  const notes =
    was.complete.includes('nics') && left.size > 0 ? [`new NICs: ${[...left].map(nameOf).join(', ')}`] : [];
  return { findings, notes, untold };
}

const gone = (nic: SeenNic): Finding => ({
  what: 'NIC gone',
  was: nameOf(nic),
  is: 'none',
  faultDomain: 'hardware',
  correction:
    'See whether a firmware reset has switched it off or changed its mode (Ethernet, InfiniBand); else reseat or replace it.',
});

/** The same MAC under another name, or at another port of a switch. */
function moved(was: SeenNic, is: SeenNic): Finding[] {
  const names = renamed(was.uris, is.uris);
  const found: Finding[] = [];
  if (names !== undefined) {
    found.push({
      what: `NIC ${was.mac} renamed`,
      was: names[0],
      is: names[1],
      faultDomain: 'firmware',
      correction:
        'A reset of firmware or its settings has numbered the ports anew: set them back, or look for what relies on the old name, and inspect with `accept`.',
    });
  }
  const place = placed(was, is);
  if (place?.verdict === 'differs') {
    found.push({
      what: `NIC ${was.mac} plugged in elsewhere`,
      was: place.expected,
      is: place.seen,
      faultDomain: 'provisioning-network',
      correction: 'Put the cable back, or correct the port in the contract and inspect with `accept`.',
    });
  }
  return found;
}

/** Where a port was, and what it hears now, compared as a contract's words are: only like with like. */
function placed({ mac, neighbour: was }: SeenNic, { neighbour }: SeenNic): PortCabling | undefined {
  if (was === null || neighbour === null) return undefined;
  const at = was.systemName ?? was.chassisId ?? undefined;
  const port = was.portId ?? was.portDescription ?? undefined;
  return cablingOf([{ mac, switch: at, switchPort: port }], [{ mac, linkUp: null, neighbour }])[0];
}
