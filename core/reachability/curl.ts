import type { Probe, Probed, Probing } from './probe.ts';

type Url = Extract<Probe, { url: string }>;

/**
 * Asks for URLs one after the other in the background, by curl. `$1`: seconds for each; `$2`: a CA, or nothing; then, in
 * turns, `insecure` or `secure` and the URL. What curl writes of a connection that failed tells why it did.
 */
const SCRIPT = [
  'set -f; LC_ALL=C; export LC_ALL; s=$1; ca=$2; shift 2',
  'command -v curl >/dev/null || { echo "lacks curl"; exit 0; }',
  'f=; if [ -n "$ca" ]; then f=$(mktemp) || { echo "lacks room"; exit 0; }; cat /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt >"$f" 2>/dev/null; printf "%s\\n" "$ca" >>"$f"; fi',
  'one() { i=$1; t=; if [ "$2" = insecure ]; then t=-k; elif [ -n "$f" ]; then t="--cacert $f"; fi',
  `m=$(curl -q -v -s -S --noproxy '*' -m "$s" $t -o /dev/null -w '\\n%{http_code}' "$3" 2>&1); r=$?`,
  'echo "probed $i $r $(printf "%s" "$m" | tail -n 1)" $(printf "%s" "$m" | grep -o -E "Connection refused|No route to host|Network is unreachable|Could not resolve host" | head -n 1); }',
  'n=0; while [ $# -ge 2 ]; do one "$n" "$1" "$2" & n=$((n+1)); shift 2; done; wait',
  '[ -z "$f" ] || rm -f "$f"; echo end',
].join('\n');

/** The words of the command that tries them. */
export const curlWords = (probes: readonly Url[], seconds: number, ca: string | undefined): string[] => [
  'sh',
  '-c',
  SCRIPT,
  'sh',
  String(seconds),
  ca ?? '',
  ...probes.flatMap(({ url, insecure }) => [insecure === true ? 'insecure' : 'secure', url]),
];

/** What curl's exit codes say, where it does not say more. */
const EXITS: { readonly [code: number]: string } = {
  6: 'ENOTFOUND',
  28: 'silent',
  35: 'no TLS',
  51: 'untrusted',
  52: 'no HTTP',
  56: 'ECONNRESET',
  60: 'untrusted',
};
const WORDS: { readonly [said: string]: string } = {
  'Connection refused': 'refused',
  'No route to host': 'EHOSTUNREACH',
  'Network is unreachable': 'ENETUNREACH',
  'Could not resolve host': 'ENOTFOUND',
};

/** Reads what it said. */
export function readCurl({ stdout }: { readonly stdout: string }, probes: readonly Url[]): Probing {
  const lines = stdout.split(/\r?\n/);
  if (lines.includes('lacks curl')) return { unusable: 'it has neither python3 nor curl' };
  if (lines.includes('lacks room')) return { unusable: 'it has no room for a file of a few bytes' };
  const probed: Probed[] = [];
  for (const [index, probe] of probes.entries()) {
    const line = lines.find((each) => each.startsWith(`probed ${index} `));
    const [, exit, status, said] = /^probed \d+ (\d+) ?(\d{3})? ?(.*)$/.exec(line ?? '') ?? [];
    if (exit === undefined) return { unusable: `it does not say how ${index + 1} of ${probes.length} went` };
    const answered = exit === '0' && Number(status) > 0;
    probed.push(
      answered
        ? { probe, outcome: 'answered', status: Number(status) }
        : { probe, outcome: WORDS[said ?? ''] ?? EXITS[Number(exit)] ?? 'failed' },
    );
  }
  return { probed };
}
