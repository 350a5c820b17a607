import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pythonVenv } from '../../peers/peer.ts';

const VERSION = '1.22.0';
const SCRIPT = new URL('iso_peer.py', import.meta.url).pathname;

/** ISO 9660 volumes as a library of someone else makes and reads them. */
export interface IsoPeer {
  /** Writes a volume with Rock Ridge names; `files` are paths in it and the files that go there. */
  make(target: string, label: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** The label of a volume and the bytes of one of its files. */
  read(source: string, path: string): Promise<{ label: string; bytes: Buffer }>;
  stop(): Promise<void>;
}

/** Starts the library in a process of its own, installing it first where it is not yet. */
export async function startIsoPeer(): Promise<IsoPeer> {
  const python = join(await pythonVenv('pycdlib', `pycdlib==${VERSION}`), 'bin', 'python');
  const child = spawn(python, ['-u', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  /** One question at a time: answers come in the order of the questions. */
  const ask = (question: object): Promise<Record<string, string>> => {
    const answer = last.then(async () => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the process that reads ISO volumes ended');
      const said = JSON.parse(value as string) as Record<string, string>;
      if (said['error'] !== undefined) throw new Error(said['error']);
      return said;
    });
    last = answer.catch(() => undefined);
    return answer;
  };
  return {
    async make(target, label, files) {
      await ask({ command: 'make', target, label, files });
    },
    async read(source, path) {
      const { label = '', content = '' } = await ask({ command: 'read', source, path });
      return { label, bytes: Buffer.from(content, 'base64') };
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
