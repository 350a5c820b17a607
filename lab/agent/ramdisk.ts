import { existsSync, readFileSync } from 'node:fs';
import { writeAtomic } from '../store.ts';
import type { AgentMemory, AgentOptions } from './options.ts';

/** Keeps the memory of an agent in a file, for as long as the server has power. */
export const ramdiskFile = (path: string, powered: () => boolean): NonNullable<AgentOptions['ramdisk']> => ({
  load: () => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as AgentMemory) : undefined),
  save: (memory) => {
    if (powered()) writeAtomic(path, JSON.stringify(memory));
  },
});
