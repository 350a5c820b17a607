/** What a network port hears of the switch at its other end (LLDP); null where it was not told. */
export interface Neighbour {
  readonly chassisId: string | null;
  readonly systemName: string | null;
  readonly portId: string | null;
  readonly portDescription: string | null;
}

/** A port as a BMC or an agent sees it. */
export interface SeenPort {
  readonly mac: string | null;
  /** Null: not told. */
  readonly linkUp: boolean | null;
  readonly neighbour: Neighbour | null;
}

/** A port as the contract has it. */
export interface ContractPort {
  readonly mac: string;
  readonly switch?: string | undefined;
  readonly switchPort?: string | undefined;
  readonly network?: string | undefined;
}

export interface PortCabling {
  readonly mac: string;
  /** `unseen`: nobody shows such a port. `no-link`: nothing is at its other end. `untold`: LLDP says nothing. */
  readonly verdict: 'fits' | 'differs' | 'untold' | 'no-link' | 'unseen';
  /** What the contract says, and what is there, for people. */
  readonly expected: string;
  readonly seen: string;
}

/** Whether the contract says what is at the other end of a port: a switch, its port, or at least a network. */
export const isDescribed = (port: ContractPort): boolean =>
  (port.switch ?? port.switchPort ?? port.network) !== undefined;

/** Whether LLDP can show that a port is in its place. */
export const isPlaced = (port: ContractPort): boolean => (port.switch ?? port.switchPort) !== undefined;

/**
 * How the described ports of a node are cabled. A port that several interfaces share (a bond, a VLAN) has
 * link where any of them has. Link that is down makes what LLDP told before it old news.
 */
export function cablingOf(ports: readonly ContractPort[], seen: readonly SeenPort[]): PortCabling[] {
  return ports.filter(isDescribed).map((port) => {
    const here = seen.filter(({ mac }) => mac === port.mac);
    const neighbour = here.map((each) => each.neighbour).find((each) => each !== null) ?? null;
    const down = here.some(({ linkUp }) => linkUp === false) && !here.some(({ linkUp }) => linkUp === true);
    const verdict =
      here.length === 0
        ? 'unseen'
        : down
          ? 'no-link'
          : neighbour === null
            ? 'untold'
            : compared(port, neighbour);
    const expected = [
      ...(port.switch === undefined ? [] : [`switch ${shown(port.switch)}`]),
      ...(port.switchPort === undefined ? [] : [`port ${shown(port.switchPort)}`]),
    ].join(' ');
    return {
      mac: port.mac,
      verdict,
      expected: expected === '' ? `network ${shown(port.network!)}` : expected,
      seen: verdict === 'no-link' ? 'no link' : neighbour === null ? 'nothing' : shownNeighbour(neighbour),
    };
  });
}

function compared(port: ContractPort, neighbour: Neighbour): 'fits' | 'differs' | 'untold' {
  const judged = [
    judge(port.switch, [neighbour.systemName, neighbour.chassisId], sameSwitch),
    judge(port.switchPort, [neighbour.portId, neighbour.portDescription], samePort),
  ];
  return judged.includes(false) ? 'differs' : judged.includes(true) ? 'fits' : 'untold';
}

/** Undefined where nothing was told that could be compared: a MAC is compared with MACs only, and so on. */
function judge(
  wanted: string | undefined,
  told: readonly (string | null)[],
  same: (a: string, b: string) => boolean,
): boolean | undefined {
  if (wanted === undefined) return undefined;
  const like = told.filter((text) => text !== null).filter((text) => kindOf(text) === kindOf(wanted));
  return like.length === 0 ? undefined : like.some((text) => same(plain(wanted), plain(text)));
}

const macDigits = (text: string): string | undefined => {
  const found = /^(?:[\da-f]{2}(?:[:-]?[\da-f]{2}){5}|(?:[\da-f]{4}\.){2}[\da-f]{4})$/i.test(text.trim());
  return found ? text.toLowerCase().replace(/[^\da-f]/g, '') : undefined;
};

const kindOf = (text: string): 'mac' | 'address' | 'name' => {
  if (macDigits(text) !== undefined) return 'mac';
  return /^(\d{1,3}(\.\d{1,3}){3}|[\da-f]*:[\da-f:]*:[\da-f.]*)$/i.test(text.trim()) ? 'address' : 'name';
};

/** Two texts that differ in case, in spaces, or in how a MAC is written are the same. */
const plain = (text: string): string => macDigits(text) ?? text.toLowerCase().replace(/\s+/g, '');

/** The same name, or one of them is the other with its domain. */
const sameSwitch = (a: string, b: string): boolean =>
  a === b ||
  (kindOf(a) === 'name' && kindOf(b) === 'name' && (a.startsWith(`${b}.`) || b.startsWith(`${a}.`)));

/** The same name, or the same numbers after a kind of port of which one is short for the other: Eth1/1. */
function samePort(a: string, b: string): boolean {
  if (a === b) return true;
  const [, kindA = '', numbersA] = /^([a-z]{2,})(\d.*)$/.exec(a) ?? [];
  const [, kindB = '', numbersB] = /^([a-z]{2,})(\d.*)$/.exec(b) ?? [];
  if (numbersA === undefined || numbersA !== numbersB) return false;
  return kindA.startsWith(kindB) || kindB.startsWith(kindA);
}

/** A text that a device or a contract gave, short and on one line. */
const shown = (text: string): string => text.replace(/[^\x20-\x7e]+/g, '?').slice(0, 64);

function shownNeighbour({ systemName, chassisId, portId, portDescription }: Neighbour): string {
  const pair = (name: string, first: string | null, second: string | null): string[] => {
    const [head, tail] = first === null ? [second, null] : [first, second];
    if (head === null) return [];
    const also = tail === null || plain(tail) === plain(head) ? '' : ` (${shown(tail)})`;
    return [`${name} ${shown(head)}${also}`];
  };
  return [...pair('switch', systemName, chassisId), ...pair('port', portId, portDescription)].join(' ');
}
