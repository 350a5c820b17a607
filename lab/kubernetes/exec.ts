import type { IncomingMessage } from 'node:http';
import { PassThrough, type Duplex, type Readable } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Printed } from './ceph.ts';

const EXEC = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/exec$/;
const CHANNEL = { stdin: 0, close: 255, stdout: 1, stderr: 2, status: 3 } as const;

/** Runs a command in a pod; a number is the status that the request is answered with instead. */
export type Run = (namespace: string, pod: string, command: readonly string[]) => Printed | number | Reading;
/** A command that reads; what it is given comes while it runs. */
export type Reading = (input: Readable) => Promise<Printed>;

/** Answers requests to run a command in a pod, each over a WebSocket of its own. */
export function execUpgrade(
  admit: (request: IncomingMessage) => number | undefined,
  run: Run,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) =>
      ['v5.channel.k8s.io', 'v4.channel.k8s.io'].find((each) => offered.has(each)) ?? false,
  });
  return (request, socket, head) => answer(request, socket, head);

  function answer(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Whoever asked may be gone before it is answered.
    socket.on('error', () => undefined);
    const url = new URL(request.url ?? '/', 'https://lab');
    const [, namespace, pod] = EXEC.exec(url.pathname) ?? [];
    const refused = admit(request);
    const result =
      refused ?? (namespace && pod ? run(namespace, pod, url.searchParams.getAll('command')) : 404);
    if (typeof result === 'number') {
      socket.end(`HTTP/1.1 ${result} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (open) => {
      if (typeof result !== 'function') return print(open, result);
      void result(inputOf(open)).then((printed) => print(open, printed));
    });
  }
}

/** What comes on the channel of standard input. */
function inputOf(socket: WebSocket): Readable {
  const input = new PassThrough();
  socket.on('message', (data: Buffer) => {
    if (data[0] === CHANNEL.stdin) input.write(data.subarray(1));
    else if (data[0] === CHANNEL.close) input.end();
  });
  return input;
}

function print(socket: WebSocket, { exitCode, stdout, stderr }: Printed): void {
  const send = (channel: number, text: string): void =>
    socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
  // The API server opens the first channel that it writes to with an empty message.
  send(CHANNEL.stdout, '');
  for (let at = 0; at < stdout.length; at += 1000) send(CHANNEL.stdout, stdout.slice(at, at + 1000));
  if (stderr !== '') send(CHANNEL.stderr, stderr);
  const ended =
    exitCode === 0
      ? { metadata: {}, status: 'Success' }
      : {
          metadata: {},
          status: 'Failure',
          message: `command terminated with non-zero exit code: exit status ${exitCode}`,
          reason: 'NonZeroExitCode',
          details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
        };
  send(CHANNEL.status, JSON.stringify(ended));
  socket.close();
}
