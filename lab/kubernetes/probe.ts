import { execFile } from 'node:child_process';
import { pythonCommand } from '../../core/reachability/python.ts';
import type { Reading } from './exec.ts';

const [program, ...fixed] = pythonCommand([], 0, undefined).words.slice(0, -1);
const MOST_MS = 60_000;

/** Whether a command is the one that tries connections: no other program is ever run. */
export const isProbe = (command: readonly string[]): boolean =>
  command.length === fixed.length + 2 &&
  command[0] === program &&
  fixed.every((word, index) => command[index + 1] === word);

/** Pods of the lab are in the network of its host: the connections are tried there, by the same program. */
export const probe =
  (command: readonly string[]): Reading =>
  (input) =>
    new Promise((resolve) => {
      const { stdin } = execFile(
        program!,
        command.slice(1),
        { timeout: MOST_MS },
        (error, stdout, stderr) => {
          const missing = error !== null && 'code' in error && error.code === 'ENOENT';
          const exitCode = missing ? 127 : error === null ? 0 : Number(error.code ?? 1) || 1;
          resolve({ exitCode, stdout, stderr });
        },
      );
      stdin!.on('error', () => undefined);
      input.pipe(stdin!);
    });
