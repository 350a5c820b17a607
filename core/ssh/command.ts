/** A word as every POSIX shell reads it back, whatever is in it. */
export const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/**
 * Runs a command in a way that it is gone when nobody waits for it any more, in one line for any login shell.
 * `$1`: how many bytes of input it gets; `$2`: seconds after which the host ends it by itself; then its words.
 * Input beyond those bytes never comes, so that its end means that the connection is gone: all is killed then.
 *
 * 1. All of it is one group of processes, as sshd starts it; the command's end ends the rest of the group.
 * 2. Who has to outlive that traps the signal. A shell that was just forked from it does so too for a moment, and
 *    would stay: the command begins with the byte that tells that this moment is over.
 */
const KEEPER = [
  'trap : TERM; n=$1; s=$2; shift 2; exec 4>&2 2>/dev/null;',
  '{ (sleep "$s"; kill -9 0) </dev/null >/dev/null 4>&- &',
  'printf .; head -c "$n"; exec >&- 4>&-; cat >/dev/null; kill -9 0; } |',
  '{ dd bs=1 count=1 >/dev/null 2>&1; "$@"; r=$?; trap : TERM; kill -TERM 0; exit "$r"; } 2>&4 4>&-; exit "$?"',
].join(' ');

/** The command line that a host's login shell is given; `exec`, since a shell that stayed would be ended with it. */
export function remoteCommand(
  words: readonly string[],
  { inputBytes, seconds }: { readonly inputBytes: number; readonly seconds: number },
): string {
  const keeper = ['sh', '-c', KEEPER, 'sh', String(inputBytes), String(seconds), ...words];
  return `exec ${keeper.map(quoted).join(' ')}`;
}
