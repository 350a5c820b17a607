import { randomUUID } from 'node:crypto';

export type CommandStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CLEAN_VERSION_MISMATCH';

/** A command as the agent's API shows it. */
export interface CommandRecord {
  id: string;
  command_name: string;
  command_status: CommandStatus;
  command_error: { type: string; code: number; message: string; details: string } | null;
  command_result: Record<string, unknown> | null;
  /** What was asked; not shown. */
  request: { name: string; params: Record<string, unknown> };
}

export const shown = (record: CommandRecord): Record<string, unknown> => {
  const { id, command_name, command_status, command_error, command_result } = record;
  return { id, command_name, command_status, command_error, command_result };
};

/** An error of the agent, in the shape that conductors know. */
export class AgentError extends Error {
  readonly type: string;
  readonly code: number;
  readonly details: string;

  constructor(type: string, code: number, message: string, details: string) {
    super(message);
    this.type = type;
    this.code = code;
    this.details = details;
  }
}

/** Ends a cleaning command that was made for another version of the hardware manager. */
export class VersionMismatch extends Error {}

export interface Command {
  readonly asynchronous: boolean;
  run(params: Record<string, unknown>): Promise<Record<string, unknown> | string>;
}

/** Runs one command at a time and remembers all of them. */
export interface Commands {
  list(): readonly CommandRecord[];
  /** Starts a command, or throws the {@link AgentError} that refuses it. */
  start(name: string, params: Record<string, unknown>): { record: CommandRecord; ended: Promise<void> };
  ended(id: string): Promise<void> | undefined;
  /** Runs again what was running when the process ended. */
  resume(): void;
}

export function commands(
  table: Readonly<Record<string, Command>>,
  records: CommandRecord[],
  changed: (asynchronousEnded: boolean) => void,
): Commands {
  const running = new Map<string, Promise<void>>();

  const run = async (record: CommandRecord, command: Command): Promise<void> => {
    try {
      const result = await command.run(record.request.params);
      record.command_result =
        typeof result === 'string' ? { result: `${record.command_name}: ${result}` } : result;
      record.command_status = 'SUCCEEDED';
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') return;
      record.command_status = error instanceof VersionMismatch ? 'CLEAN_VERSION_MISMATCH' : 'FAILED';
      const { type = 'CommandExecutionError', code = 500, details = '' } = error as Partial<AgentError>;
      record.command_error = { type, code, message: (error as Error).message, details };
    }
    changed(command.asynchronous);
  };
  const follow = (record: CommandRecord): Promise<void> => {
    const ended = run(record, table[record.request.name]!);
    running.set(record.id, ended);
    return ended;
  };

  return {
    list: () => records,
    ended: (id) => running.get(id),
    start(name, params) {
      const busy = records.find((r) => r.command_status === 'RUNNING');
      if (busy !== undefined)
        throw new AgentError(
          'AgentIsBusy',
          409,
          `Agent is busy: executing command ${busy.command_name}`,
          'Only one command runs at a time',
        );
      const [extension = ''] = name.split('.');
      if (!Object.keys(table).some((known) => known.startsWith(`${extension}.`)))
        throw new AgentError('RequestedObjectNotFoundError', 404, 'Extension not found', `No ${extension}`);
      if (table[name] === undefined)
        throw new AgentError('InvalidCommandError', 400, 'Invalid command', `Unknown command: ${name}`);
      const record: CommandRecord = {
        id: randomUUID(),
        command_name: name.slice(extension.length + 1),
        command_status: 'RUNNING',
        command_error: null,
        command_result: null,
        request: { name, params },
      };
      records.push(record);
      changed(false);
      return { record, ended: follow(record) };
    },
    resume() {
      for (const record of records) if (record.command_status === 'RUNNING') void follow(record);
    },
  };
}
