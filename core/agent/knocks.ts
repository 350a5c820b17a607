import { shownEndpoint, type Knock } from './reach.ts';

/** An address and a port that a connection is tried to. */
export type Endpoint = Pick<Knock, 'address' | 'port'>;

/**
 * Tries connections at once, with what every Linux server has: bash, and `timeout` of coreutils. `$1`: seconds
 * for each; then address and port in turns. Says the host's own addresses and, of each connection, the exit
 * status and what bash said of it. Nothing is sent, and nothing of the arguments is read as a command.
 */
const SCRIPT = [
  'set -f; export LC_ALL=C; s=$1; shift',
  'command -v timeout >/dev/null || { echo "lacks timeout"; exit 0; }',
  'echo own $(ip -o addr show 2>/dev/null | while read -r _ _ _ a _; do echo "${a%/*}"; done)',
  `knock() { m=$(timeout "$s" bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$2" 2>&1); echo knock "$1" "$2" "$?" $m; }`,
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

/** How a connection went, by what bash says; the first that matches is it. */
const WORDS: readonly (readonly [pattern: RegExp, outcome: string])[] = [
  [/Connection refused/i, 'refused'],
  [/timed out/i, 'silent'],
  [/No route to host/i, 'EHOSTUNREACH'],
  [/Network is unreachable/i, 'ENETUNREACH'],
  [/Permission denied|Operation not permitted/i, 'EACCES'],
  [/Invalid argument|Cannot assign requested address/i, 'EADDRNOTAVAIL'],
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
  if (TIMED_OUT.has(status)) return 'silent';
  if (/No such file or directory/i.test(said)) return undefined;
  return WORDS.find(([pattern]) => pattern.test(said))?.[1] ?? 'failed';
}
