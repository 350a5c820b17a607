import type { ErrorCode } from '../errors/catalogue.ts';

/** How a run of OpenSSH's client went: the command ended, or whose failure it was, and why, in words. */
export type SshVerdict =
  { readonly exitCode: number } | { readonly code: SshErrorCode; readonly why: string };

type SshErrorCode = Extract<ErrorCode, `SSH_${string}`>;

/** Why it did not come to a login, by what the client writes into its log; the first that matches is it. */
const BEFORE_LOGIN: readonly (readonly [pattern: RegExp, code: SshErrorCode, why: string])[] = [
  [/^Host key for .* has changed/m, 'SSH_HOST_KEY_MISMATCH', 'it shows another host key than the known one'],
  [/^Host key verification failed/m, 'SSH_HOST_KEY_UNKNOWN', 'its host key is not known'],
  [/^Load key /m, 'SSH_KEY_UNUSABLE', 'the private key cannot be read as one'],
  [/Permission denied \(/, 'SSH_AUTH_FAILED', 'it does not take the key for this user'],
  [/Too many authentication failures/, 'SSH_AUTH_FAILED', 'it does not take the key for this user'],
  [
    /^Could not resolve hostname|^ssh: Could not resolve hostname/m,
    'SSH_UNREACHABLE',
    'its name is not known',
  ],
  [/^ssh: connect to host .*: Connection refused/m, 'SSH_REFUSED', 'it refuses the connection'],
  [/^ssh: connect to host .*: No route to host/m, 'SSH_UNREACHABLE', 'there is no route to it'],
  [/^ssh: connect to host .*: Network is unreachable/m, 'SSH_UNREACHABLE', 'there is no route to it'],
  [/^ssh: connect to host .*: Permission denied/m, 'SSH_UNREACHABLE', 'a firewall here forbids it'],
  [/^ssh: connect to host /m, 'SSH_UNREACHABLE', 'nothing answers'],
  [/Unable to negotiate/, 'SSH_HANDSHAKE_FAILED', 'it offers no algorithm that is accepted here'],
];

/**
 * Reads the client's log, written at its first level of debugging. What the host says cannot make a failure of
 * another kind out of one before the login: nothing it sends is looked for at the beginning of a line.
 *
 * @param pinned whether the contract names the host's key: another key is a mismatch, however the client calls it
 */
export function verdictOf(log: string, pinned: boolean): SshVerdict {
  const ended = [...log.matchAll(/^debug1: Exit status (-?\d+)\r?$/gm)].at(-1);
  if (ended !== undefined) {
    const exitCode = Number(ended[1]);
    if (exitCode >= 0) return { exitCode };
    return /rtype exit-signal/.test(log)
      ? { code: 'SSH_COMMAND_KILLED', why: 'the command was ended by a signal' }
      : { code: 'SSH_CONNECTION_LOST', why: 'the connection was lost while the command ran' };
  }
  if (loggedIn(log))
    return { code: 'SSH_CONNECTION_LOST', why: 'the connection was lost while the command ran' };
  for (const [pattern, code, why] of BEFORE_LOGIN) {
    if (!pattern.test(log)) continue;
    if (code === 'SSH_HOST_KEY_UNKNOWN' && pinned) {
      return { code: 'SSH_HOST_KEY_MISMATCH', why: 'it shows another host key than the pinned one' };
    }
    return { code, why };
  }
  return /^debug1: Connection established/m.test(log)
    ? { code: 'SSH_HANDSHAKE_FAILED', why: 'it accepts the connection, and does not speak SSH to the end' }
    : { code: 'SSH_UNREACHABLE', why: 'nothing answers' };
}

/** What it means that the time was over, by how far the client had come. */
export function overdue(log: string): SshVerdict {
  if (loggedIn(log)) return { code: 'SSH_COMMAND_TIMEOUT', why: 'the command did not end in time' };
  return /^debug1: Connection established/m.test(log)
    ? { code: 'SSH_HANDSHAKE_FAILED', why: 'it accepts the connection, and does not speak SSH to the end' }
    : { code: 'SSH_UNREACHABLE', why: 'nothing answers' };
}

const loggedIn = (log: string): boolean => /^Authenticated to /m.test(log);
