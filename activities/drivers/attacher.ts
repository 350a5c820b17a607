import type { StepContext } from './driver.ts';

/** Puts the ports of a node on the networks that the contract gives them: a switch driver, Neutron. */
export interface NetworkAttacher {
  /**
   * Has every port of the node on its network, and says what was done. Converges once: safe to run again;
   * throws "not yet" while the switch is at it.
   */
  attach(context: StepContext): Promise<string>;
}

/** Nothing attaches networks: whoever configures the switches is taken at the contract's word. */
export const NO_ATTACHER: NetworkAttacher = {
  attach: async () =>
    'no switch driver is configured: switch ports are taken to be set up as the contract says',
};
