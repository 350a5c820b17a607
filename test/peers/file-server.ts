import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, freePort } from './peer.ts';

/** Web servers for the files of a folder that others wrote. Python's knows no ranges, busybox's does. */
const SERVERS = {
  python: (port: number, folder: string) =>
    `python3 -m http.server ${port} --bind 127.0.0.1 --directory ${folder}`,
  busybox: (port: number, folder: string) => `busybox httpd -f -p 127.0.0.1:${port} -h ${folder}`,
} as const;

export interface FileServer {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** One of them on a port of its own, once it answers. */
export async function fileServer(which: keyof typeof SERVERS, folder: string): Promise<FileServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const [program, ...args] = SERVERS[which](port, folder).split(' ');
  let stop: FileServer['stop'] = async () => undefined;
  const start = async (): Promise<void> => {
    const child = spawn(program!, args, { stdio: 'ignore' });
    stop = () => endProcess(child);
    for (let tries = 0; tries < 100 && child.exitCode === null; tries++) {
      if (await fetch(url).then(Boolean, () => false)) return;
      await sleep(100);
    }
    await stop();
    throw new Error(`${program} does not answer at ${url}`);
  };
  await start();
  return { url, start, stop: () => stop() };
}
