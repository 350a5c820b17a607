import type { ErrorCode } from '../errors/catalogue.ts';
import { objectOf, textOf, toldOf } from './read.ts';
import { firstWords } from '../whole-words.ts';

export type CommandStatus = 'running' | 'succeeded' | 'failed';

/** A command of the agent, as its API shows it. Parameters are never shown. */
export interface AgentCommand {
  readonly id: string;
  /** Without its extension: `prepare_image`. */
  readonly name: string;
  readonly status: CommandStatus;
  readonly error: { readonly type: string; readonly message: string } | null;
  readonly result: unknown;
}

/** Reads a command; undefined if it is none. A status that we do not know is a failure. */
export function readCommand(value: unknown): AgentCommand | undefined {
  const {
    id,
    command_name: name,
    command_status: status,
    command_error: error,
    command_result,
  } = objectOf(value);
  if (typeof id !== 'string' || typeof name !== 'string' || typeof status !== 'string') return undefined;
  const known = status === 'RUNNING' ? 'running' : status === 'SUCCEEDED' ? 'succeeded' : 'failed';
  const fields = objectOf(typeof error === 'string' ? { message: error } : error);
  const said = [fields['message'], fields['details']]
    .map((text) => toldOf(text, 1000))
    .filter((text) => text !== null);
  return {
    id: id.slice(0, 128),
    name: name.slice(0, 128),
    status: known,
    error:
      known === 'failed'
        ? {
            type: toldOf(fields['type'], 200) ?? status,
            message: firstWords([...new Set(said)].join(': '), 1000),
          }
        : null,
    result: command_result ?? null,
  };
}

/** Reads the list of commands, oldest first. */
export function readCommands(body: unknown): AgentCommand[] {
  const { commands } = objectOf(body);
  const listed = Array.isArray(commands) ? commands.slice(0, 4096) : [];
  return listed.map(readCommand).filter((command) => command !== undefined);
}

/**
 * What to do about a piece of work that must not be done twice, from the agent's own list. The agent of
 * one boot belongs to one operation, so whatever is there was asked by it.
 *
 * @param isOurs whether a finished command was this very piece of work
 * @param reportFailure whether a failed one was sent by this run of the step; else it was told before
 */
export function adopt(
  commands: readonly AgentCommand[],
  name: string,
  isOurs: (command: AgentCommand) => boolean,
  reportFailure: boolean,
): AgentCommand | undefined {
  const ours = commands.filter((command) => command.name === name);
  return (
    ours.find((command) => command.status === 'running') ??
    ours.findLast((command) => command.status === 'succeeded' && isOurs(command)) ??
    (reportFailure ? ours.findLast((command) => command.status === 'failed') : undefined)
  );
}

/** The image id and the device that a finished `prepare_image` names. */
export function writtenImage(command: AgentCommand): { imageId: string; device: string } | undefined {
  const text = textOf(objectOf(command.result)['result']) ?? '';
  const found = /image \(([^)]{1,300})\) written to device (\/\S{1,300})/.exec(text);
  return found === null ? undefined : { imageId: found[1]!, device: found[2]! };
}

/** The clean step that a finished `execute_clean_step` names. */
export const cleanedStep = (command: AgentCommand): string | null =>
  textOf(objectOf(objectOf(command.result)['clean_step'])['step']);

const CODES: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^ImageChecksum/i, 'IMAGE_CHECKSUM_MISMATCH'],
  [/^(ImageDownload|ImageInspection)/i, 'IMAGE_DOWNLOAD_FAILED'],
  [/^(InvalidImage|FileSystemNotSupported)/i, 'IMAGE_UNSUITABLE'],
  [/^DeviceNotFound/i, 'ROOT_DEVICE_NOT_FOUND'],
  [/^(ImageWrite|BlockDevice$|BlockDeviceError)/i, 'IMAGE_WRITE_FAILED'],
  [/^(BlockDeviceErase|Cleaning|ProtectedDevice|SoftwareRAID|Clean_?Version)/i, 'ERASE_FAILED'],
];

/** Which code the agent's error has. */
export function commandCode(type: string, message: string): ErrorCode {
  const known = CODES.find(([pattern]) => pattern.test(type));
  if (known !== undefined) return known[1];
  return /checksum/i.test(message) ? 'IMAGE_CHECKSUM_MISMATCH' : 'AGENT_COMMAND_FAILED';
}
