import type { Path } from '../path.ts';
import { nodeAvailable } from './available.ts';
import { statesCaptured } from './capture.ts';
import { consoleShown } from './console.ts';
import { agentCalledBack, imageWritten, serverActive } from './deployment.ts';
import { firstBoot, guestReached } from './guest.ts';
import { serverReleased } from './release.ts';
import { serverRequested } from './request.ts';

/** Where the contract names a cloud: `POST /servers`, and `DELETE`. */
export const BY_NOVA: Path = {
  'node-available': nodeAvailable,
  'server-requested': serverRequested,
  'agent-called-back': agentCalledBack,
  'image-written': imageWritten,
  'first-boot': firstBoot,
  'guest-reached': guestReached,
  'server-active': serverActive,
  console: consoleShown,
  'states-captured': statesCaptured,
  'server-released': serverReleased,
};
