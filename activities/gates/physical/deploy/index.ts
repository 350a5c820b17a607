import type { Path } from '../path.ts';
import {
  agentCalledBack,
  consoleShown,
  firstBoot,
  guestReached,
  imageWritten,
  serverActive,
} from './deployment.ts';
import { serverReleased, statesCaptured } from './release.ts';
import { nodeAvailable, serverRequested } from './request.ts';

/** Where the contract names no cloud: `node deploy`, and `node release`. */
export const BY_DEPLOY: Path = {
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
