import type { Faults } from './faults.ts';
import type { Nic } from './hardware.ts';

/** How the network ports are cabled: as they were built, unless somebody was at the cables. */
export function cabled(nics: readonly Nic[], faults: Pick<Faults, 'on'>): Nic[] {
  return nics.map(({ cable, ...nic }, i) => {
    if (cable === null || (i === nics.length - 1 && faults.on('noLink'))) return { ...nic, cable: null };
    const moved = i === 0 && faults.on('cableInWrongPort') ? { switchPort: 'swp64' } : {};
    return { ...nic, cable: { ...cable, ...moved, speaks: cable.speaks && !faults.on('noLldp') } };
  });
}
