/** A step of Ironic's manual cleaning. */
export interface CleanStep {
  readonly interface: string;
  readonly step: string;
}

export type Erase = 'full' | 'metadata';

/** How a node is cleaned, and what that proves. */
export interface Cleaning {
  readonly steps: readonly CleanStep[];
  /** `none`: the interfaces only pretend, so nothing is erased and nothing may be called erased. */
  readonly proof: Erase | 'none';
}

/** The interfaces of a node, as Ironic has them. */
export interface Interfaces {
  readonly driver: string;
  readonly deploy: string;
  readonly bios: string;
  readonly vendor: string;
}

/**
 * The cleaning that erases a node. Only Ironic's fake hardware, whose deploy interface writes no disk,
 * gets steps that erase none; any other node gets the real ones, and Ironic refuses them where it cannot.
 */
export function cleaningFor(interfaces: Interfaces, erase: Erase): Cleaning {
  if (interfaces.driver === 'fake-hardware' && interfaces.deploy === 'fake') {
    if (interfaces.bios === 'fake') {
      return { steps: [{ interface: 'bios', step: 'factory_reset' }], proof: 'none' };
    }
    if (interfaces.vendor === 'fake') {
      return { steps: [{ interface: 'vendor', step: 'log_passthrough' }], proof: 'none' };
    }
  }
  const step = erase === 'metadata' ? 'erase_devices_metadata' : 'erase_devices';
  return { steps: [{ interface: 'deploy', step }], proof: erase };
}
