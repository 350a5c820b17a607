import { SWITCH_DOMAIN, type Nic } from '../hardware.ts';

const hex = (text: string): string => Buffer.from(text).toString('hex');

/** What a port hears, as the agent tells it: type and value of each part of the frame. */
export function lldpOf({ cable }: Nic): [number, string][] {
  if (cable === null || !cable.speaks) return [];
  return [
    [1, `04${cable.chassisMac.replaceAll(':', '')}`],
    [2, `05${hex(cable.switchPort)}`],
    [3, '0078'],
    [4, hex(`to the lab, ${cable.switchPort}`)],
    [5, hex(`${cable.switch}.${SWITCH_DOMAIN}`)],
    // VLAN of the port, by IEEE 802.1: a part that says nothing of where the cable is.
    [127, '0080c2010001'],
    [0, ''],
  ];
}
