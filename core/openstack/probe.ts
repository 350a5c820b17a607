import { field } from './read.ts';

/** How an endpoint was asked for by curl on a host. */
export interface Probe {
  readonly url: string;
  /** The exit code of curl. */
  readonly exitCode: number;
  /** Of the answer; 0: there was none. */
  readonly status: number;
  readonly seconds: number;
  readonly address: string;
  readonly said: string;
}

/**
 * Asks for each URL with curl. `$1`: seconds for each; `$2`: how many bytes of CA it reads first, 0 for the host's own;
 * then the URLs. Nothing of them is read as a command.
 */
const SCRIPT = [
  'export LC_ALL=C; s=$1; n=$2; shift 2',
  'command -v curl >/dev/null || { echo "lacks curl"; exit 0; }',
  'ca=$(head -c "$n")',
  'i=0; for u in "$@"; do',
  'if [ "$n" = 0 ]; then set -- -; else set -- --cacert /dev/stdin; fi',
  '[ "$1" = - ] && shift',
  `m=$(printf '%s\\n' "$ca" | curl -q -sS -o /dev/null --max-time "$s" "$@" -w 'answer %{http_code} %{time_total} %{remote_ip}\\n' -- "$u" 2>&1); r=$?`,
  `echo "probe $i $r" $(printf '%s\\n' "$m" | sed -n 's/^answer //p' | tail -n 1); printf '%s\\n' "$m" | sed -n 's/^curl: /said '"$i"' /p' | head -n 1; i=$((i + 1))`,
  'done; echo end',
].join('\n');

/** The words of the command; the CA, or nothing, is what it reads. */
export const probeWords = (urls: readonly string[], seconds: number, ca: string | undefined): string[] => [
  'sh',
  '-c',
  SCRIPT,
  'sh',
  String(seconds),
  String(ca === undefined ? 0 : Buffer.byteLength(ca)),
  ...urls,
];

/** Reads what the command said; a text says why it cannot be used. */
export function readProbes(
  { stdout, exitCode }: { readonly stdout: string; readonly exitCode: number },
  urls: readonly string[],
): readonly Probe[] | string {
  const lines = stdout.split(/\r?\n/).map((line) => line.trim().split(/\s+/));
  if (lines.some(([word, what]) => word === 'lacks' && what === 'curl')) return 'it has no curl';
  const probes: Probe[] = [];
  for (const [at, url] of urls.entries()) {
    const line = lines.find(([word, number]) => word === 'probe' && number === String(at));
    if (line === undefined) return `it does not say how ${url} went (exit code ${exitCode})`;
    const said = lines.find(([word, number]) => word === 'said' && number === String(at));
    probes.push({
      url,
      exitCode: Number(line[2]),
      status: Number(line[3] ?? 0),
      seconds: Number(line[4] ?? 0),
      address: line[5] ?? '',
      said: said?.slice(2).join(' ') ?? '',
    });
  }
  return probes;
}

/** How an endpoint came out: it answers, or what is wrong with it for certain, or what could not be told. */
export type Reached =
  | { readonly right: string }
  | { readonly wrong: string; readonly correction: string }
  | { readonly untold: string };

/** A name that is not found after as long as this was not answered for. */
const SILENT_SECONDS = 5;
const CHANGE = 'or correct the URL in the catalogue (openstack endpoint set --url)';

/** What curl's exit code and the answer mean. */
export function judgeProbe({ url, exitCode, status, seconds, address, said }: Probe, from: string): Reached {
  const why = said === '' ? `curl ends with ${exitCode}` : said;
  if (exitCode === 0 && status > 0 && status < 500) return { right: `answers at ${address || url}` };
  if (exitCode === 0) return { untold: `It is answered with ${status} from ${from}.` };
  const host = hostOf(url);
  if (exitCode === 6)
    return seconds >= SILENT_SECONDS
      ? {
          untold: `The name ${host} was looked up from ${from} for ${Math.round(seconds)} s without an answer.`,
        }
      : {
          wrong: `The name ${host} has no address from ${from}: ${why}.`,
          correction: `Let the DNS that it asks have ${host}; ${CHANGE}.`,
        };
  if (exitCode === 7 && /refused/i.test(said))
    return {
      wrong: `Nothing listens at ${url}, tried from ${from}: ${why}.`,
      correction: `Start what is to listen there; ${CHANGE}.`,
    };
  if (exitCode === 60 || exitCode === 51)
    return {
      wrong: `The certificate of ${url} is not trusted from ${from}: ${why}.`,
      correction: `Renew it, for the name ${host}; or correct \`openstack.ca\`, or the authorities that the host knows.`,
    };
  if (exitCode === 35 && /wrong version number|http request|packet length/i.test(said))
    return {
      wrong: `No TLS is spoken at ${url}, tried from ${from}: ${why}.`,
      correction: `Let TLS end there; ${CHANGE}.`,
    };
  return { untold: `${url} does not answer from ${from}: ${why}.` };
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : url);

/** What the worker's own request for an endpoint has shown for certain, by the details of its failure. */
export function judgeUnanswered(details: unknown, url: string): Reached | undefined {
  const reason = field(details, 'reason');
  if (reason === 'ENOTFOUND')
    return {
      wrong: `The name ${hostOf(url)} of the endpoint ${url} has no address.`,
      correction: `Let DNS have ${hostOf(url)}; ${CHANGE}.`,
    };
  if (reason === 'ECONNREFUSED')
    return {
      wrong: `Nothing listens at the endpoint ${url}.`,
      correction: `Start what is to listen there; ${CHANGE}.`,
    };
  return undefined;
}
