import type { Probe, ProbeCommand, Probed, Probing } from './probe.ts';

/**
 * Opens the connections at once, with nothing beside Python 3. Its argument: the length of what it reads, which is seconds
 * for each, a CA, and the probes, as JSON. Says one line of JSON for each. A GET carries no credentials, follows no redirect, and goes through no proxy.
 */
const PROGRAM = String.raw`
import errno,http.client,json,os,socket,ssl,sys,threading,time
from urllib.parse import urlsplit
a=json.loads(sys.stdin.buffer.read(int(sys.argv[1])));S=a["seconds"];out=[None]*len(a["probes"])
def why(e):
 if isinstance(e,ssl.SSLCertVerificationError):return "untrusted"
 if isinstance(e,ssl.SSLError):return "no TLS" if e.reason in ("WRONG_VERSION_NUMBER","HTTP_REQUEST","PACKET_LENGTH_TOO_LONG","RECORD_LAYER_FAILURE") else "TLS failed"
 if isinstance(e,socket.gaierror):return "ENOTFOUND" if e.errno==socket.EAI_NONAME else "EAI_AGAIN"
 if isinstance(e,(socket.timeout,TimeoutError)):return "silent"
 if isinstance(e,http.client.HTTPException):return "no HTTP"
 if isinstance(e,ConnectionRefusedError):return "refused"
 n=getattr(e,"errno",None)
 if n==errno.ETIMEDOUT:return "silent"
 return errno.errorcode.get(n,"failed")
def one(i,p):
 try:
  if "url" in p:
   u=urlsplit(p["url"]);h=u.hostname
   if u.scheme=="https":
    if p.get("insecure"):
     c=ssl._create_unverified_context()
    else:
     c=ssl.create_default_context()
     if a.get("ca"):c.load_verify_locations(cadata=a["ca"])
    k=http.client.HTTPSConnection(h,u.port,timeout=S,context=c)
   else:k=http.client.HTTPConnection(h,u.port,timeout=S)
   k.request("GET",(u.path or "/")+("?"+u.query if u.query else ""),headers={"Accept":"*/*"})
   out[i]={"outcome":"answered","status":k.getresponse().status}
  else:
   socket.create_connection((p["host"],p["port"]),S).close();out[i]={"outcome":"open"}
 except Exception as e:out[i]={"outcome":why(e)}
t=[threading.Thread(target=one,args=x,daemon=True) for x in enumerate(a["probes"])]
[x.start() for x in t];w=time.time()+S*3;[x.join(max(0,w-time.time())) for x in t]
for o in out:print("probed "+json.dumps(o or {"outcome":"silent"}))
print("end");sys.stdout.flush();os._exit(0)
`.trim();

/** The command that tries them; all its words but the last are always the same. */
export function pythonCommand(
  probes: readonly Probe[],
  seconds: number,
  ca: string | undefined,
): ProbeCommand {
  const input = JSON.stringify({ seconds, ...(ca === undefined ? {} : { ca }), probes });
  return { words: ['python3', '-c', PROGRAM, String(Buffer.byteLength(input))], input };
}

/** Reads what it said; undefined where the place has no Python. */
export function readPython(
  { stdout, exitCode }: { readonly stdout: string; readonly exitCode: number },
  probes: readonly Probe[],
): Probing | undefined {
  if (exitCode === 126 || exitCode === 127) return undefined;
  const lines = stdout.split(/\r?\n/);
  const said = lines.flatMap((line) => (line.startsWith('probed ') ? (parsed(line.slice(7)) ?? []) : []));
  if (said.length !== probes.length || !lines.includes('end')) {
    return { unusable: `its python3 ended with ${exitCode}, and does not say how all of it went` };
  }
  return { probed: probes.map((probe, index): Probed => ({ probe, ...said[index]! })) };
}

function parsed(text: string): Omit<Probed, 'probe'> | undefined {
  try {
    const { outcome, status } = JSON.parse(text) as { outcome?: unknown; status?: unknown };
    if (typeof outcome !== 'string') return undefined;
    return { outcome: outcome.slice(0, 40), ...(typeof status === 'number' ? { status } : {}) };
  } catch {
    return undefined;
  }
}
