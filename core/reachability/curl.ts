import type { Probe, ProbeCommand, Probed, Probing } from './probe.ts';

type Url = Extract<Probe, { url: string }>;

/**
 * Asks for URLs one after the other in the background, by curl. `$1`: seconds for each; `$2`: how many bytes of a CA it
 * reads; then, in turns, `insecure` or `secure` and the URL. What curl writes of a connection that failed tells why it
 * did. Nothing is written to a file, which whoever is killed would leave.
 */
const SCRIPT = [
  'set -f; LC_ALL=C; export LC_ALL; s=$1; n=$2; shift 2',
  'command -v curl >/dev/null || { echo "lacks curl"; exit 0; }',
  'ca=$(head -c "$n")',
  'trust() { [ "$n" = 0 ] || { cat /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt; printf "%s\\n" "$ca"; } 2>/dev/null; }',
  'one() { i=$1; t=; if [ "$2" = insecure ]; then t=-k; elif [ "$n" != 0 ]; then t="--cacert /dev/stdin"; fi',
  `m=$(trust | curl -q -v -s -S --noproxy '*' -m "$s" $t -o /dev/null -w '\\n%{http_code}' -- "$3" 2>&1); r=$?`,
  'echo "probed $i $r $(printf "%s" "$m" | tail -n 1)" $(printf "%s" "$m" | grep -o -E "Connection refused|No route to host|Network is unreachable|wrong version number|packet length too long|SSL routines:.*:http request|unexpected TLS packet" | head -n 1); }',
  'k=0; while [ $# -ge 2 ]; do one "$k" "$1" "$2" & k=$((k+1)); shift 2; done; wait',
  'echo end',
].join('\n');

/** The command that tries them. */
export const curlCommand = (
  probes: readonly Url[],
  seconds: number,
  ca: string | undefined,
): ProbeCommand => ({
  words: [
    'sh',
    '-c',
    SCRIPT,
    'sh',
    String(seconds),
    String(Buffer.byteLength(ca ?? '')),
    ...probes.flatMap(({ url, insecure }) => [insecure === true ? 'insecure' : 'secure', url]),
  ],
  input: ca ?? '',
});

/** What curl's exit codes say, where it does not say more. */
const EXITS: { readonly [code: number]: string } = {
  // It does not tell a name without an address from one that nobody answers for.
  6: 'EAI_AGAIN',
  28: 'silent',
  35: 'TLS failed',
  51: 'untrusted',
  52: 'no HTTP',
  56: 'ECONNRESET',
  60: 'untrusted',
};
const WORDS: { readonly [said: string]: string } = {
  'Connection refused': 'refused',
  'No route to host': 'EHOSTUNREACH',
  'Network is unreachable': 'ENETUNREACH',
  'wrong version number': 'no TLS',
  'packet length too long': 'no TLS',
  'unexpected TLS packet': 'no TLS',
};

/** Reads what it said. */
export function readCurl({ stdout }: { readonly stdout: string }, probes: readonly Url[]): Probing {
  const lines = stdout.split(/\r?\n/);
  if (lines.includes('lacks curl')) return { unusable: 'it has neither python3 nor curl' };
  const probed: Probed[] = [];
  for (const [index, probe] of probes.entries()) {
    const line = lines.find((each) => each.startsWith(`probed ${index} `));
    const [, exit, status, said] = /^probed \d+ (\d+) ?(\d{3})? ?(.*)$/.exec(line ?? '') ?? [];
    if (exit === undefined) return { unusable: `it does not say how ${index + 1} of ${probes.length} went` };
    const answered = exit === '0' && Number(status) > 0;
    probed.push(
      answered
        ? { probe, outcome: 'answered', status: Number(status) }
        : {
            probe,
            outcome:
              WORDS[said ?? ''] ??
              (said?.endsWith(':http request') ? 'no TLS' : undefined) ??
              EXITS[Number(exit)] ??
              'failed',
          },
    );
  }
  return { probed };
}
