import { shownEndpoint, type Knock } from './reach.ts';

/** An address and a port that a connection is tried to. */
export type Endpoint = Pick<Knock, 'address' | 'port'>;

/**
 * Tries connections at once, with what every Linux server has: bash, and `timeout` of coreutils. `$1`: seconds
 * for each; then address and port in turns. Says the host's own addresses and, of each connection, the exit
 * status and what bash said of it; of one whose time was over, whether that was for want of an address for its name. Nothing is sent, and nothing of the arguments is read as a command.
 */
const SCRIPT = [
  'set -f; export LC_ALL=C; s=$1; shift',
  'command -v timeout >/dev/null || { echo "lacks timeout"; exit 0; }',
  'echo own $(ip -o addr show 2>/dev/null | while read -r _ _ _ a _; do echo "${a%/*}"; done)',
  `knock() { m=$(timeout "$s" bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$2" 2>&1); r=$?`,
  'case $r in 124|137|143) timeout "$s" getent ahosts "$1" >/dev/null 2>&1',
  'case $? in 2|124|137|143) m="no name resolution";; esac;; esac; echo knock "$1" "$2" "$r" $m; }',
  'while [ $# -ge 2 ]; do knock "$1" "$2" & shift 2; done; wait; echo end',
].join('; ');

/** The words of the command that tries them. */
export const knockWords = (endpoints: readonly Endpoint[], seconds: number): string[] => [
  'bash',
  '-c',
  SCRIPT,
  'bash',
  String(seconds),
  ...endpoints.flatMap(({ address, port }) => [address, String(port)]),
];

/** What a vantage point said: its own addresses and how each connection went; or why it cannot tell. */
export type Knocked =
  { readonly own: readonly string[]; readonly knocks: readonly Knock[] } | { readonly unusable: string };

/** Exit statuses of `timeout` when the time was over, by coreutils and by busybox. */
const TIMED_OUT = new Set(['124', '137', '143']);

const NO_ADDRESS = /name resolution|Name (?:or service not known|does not resolve)|No address associated/i;
/** How a connection went, by what bash says; the first that matches is it. */
const WORDS: readonly (readonly [pattern: RegExp, outcome: string])[] = [
  [NO_ADDRESS, 'ENOTFOUND'],
  [/Connection refused/i, 'refused'],
  [/timed out/i, 'silent'],
  [/No route to host/i, 'EHOSTUNREACH'],
  [/Network is unreachable/i, 'ENETUNREACH'],
  [/Permission denied|Operation not permitted/i, 'EACCES'],
  [/connect: Invalid argument|Cannot assign requested address/i, 'EADDRNOTAVAIL'],
  // Bash says so of a name that it found no address for, and of no connection that it tried.
  [/Invalid argument/i, 'ENOTFOUND'],
  [/Too many open files/i, 'EMFILE'],
  [/Connection reset/i, 'ECONNRESET'],
];

/** Reads what the command said, with its exit code. What stands between the lines that are looked for is skipped. */
export function readKnocks(
  { stdout, exitCode }: { readonly stdout: string; readonly exitCode: number },
  endpoints: readonly Endpoint[],
): Knocked {
  if (exitCode === 127) return { unusable: 'it has no bash' };
  const lines = stdout.split(/\r?\n/).map((line) => line.trim().split(/\s+/));
  if (lines.some(([word, what]) => word === 'lacks' && what === 'timeout')) {
    return { unusable: 'it has no `timeout`' };
  }
  const own = lines.find(([word]) => word === 'own')?.slice(1) ?? [];
  const knocks: Knock[] = [];
  for (const { address, port } of endpoints) {
    const line = lines.find(([word, of, at]) => word === 'knock' && of === address && at === String(port));
    if (line === undefined)
      return { unusable: `it does not say how ${shownEndpoint({ address, port })} went` };
    const outcome = outcomeOf(line[3] ?? '', line.slice(4).join(' '));
    if (outcome === undefined) return { unusable: 'its bash opens no connections (no /dev/tcp)' };
    knocks.push({ address, port, outcome });
  }
  return { own, knocks };
}

function outcomeOf(status: string, said: string): string | undefined {
  if (status === '0') return 'open';
  if (TIMED_OUT.has(status)) return NO_ADDRESS.test(said) ? 'ENOTFOUND' : 'silent';
  if (/No such file or directory/i.test(said)) return undefined;
  return WORDS.find(([pattern]) => pattern.test(said))?.[1] ?? 'failed';
}
