import type { CheckFunction } from '../check.ts';
import { agentToCallBacks, agentToImageSource } from './agent.ts';
import { bmcToPublisher, probeMediaEjected } from './bmc-to-publisher.ts';
import { conductorToBmc } from './conductor-to-bmc.ts';
import { operatorToApi, operatorToConsole, userToApi } from './people.ts';
import { guestToNetwork, userToGuest, userToWorkload } from './tenant.ts';

/** How the checks of gate 6 are made, by id. */
export const REACHABILITY_FUNCTIONS: { readonly [id: string]: CheckFunction } = {
  'conductor-to-bmc': conductorToBmc,
  'bmc-to-publisher': bmcToPublisher,
  'agent-to-call-backs': agentToCallBacks,
  'agent-to-image-source': agentToImageSource,
  'guest-to-network': guestToNetwork,
  'operator-to-api': operatorToApi,
  'operator-to-console': operatorToConsole,
  'user-to-api': userToApi,
  'user-to-guest': userToGuest,
  'user-to-workload': userToWorkload,
  'probe-media-ejected': probeMediaEjected,
};
