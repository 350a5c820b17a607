import { join } from 'node:path';
import { pythonVenv } from './peer.ts';

/** A Python with Temporal's SDK for it, another SDK than ours, as other services have it. */
export const pythonWithTemporal = async (): Promise<string> =>
  join(await pythonVenv('python', 'temporalio==1.35.0'), 'bin', 'python');
