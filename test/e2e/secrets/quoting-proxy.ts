import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Agent, request } from 'undici';

/** A request as it came. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Something in front of a service that quotes what it was sent when it refuses a request. */
export interface QuotingProxy {
  readonly url: string;
  readonly asked: Asked[];
  /** Tokens of sessions that the service gave. */
  readonly sessionTokens: string[];
  /** Which requests are refused. */
  refuse: (asked: Asked) => boolean;
  close(): Promise<void>;
}

/** The body of a refusal, made of pieces that quote the request. */
export type Quoting = (pieces: readonly string[]) => { status: number; body: string };

/** As a BMC would, with everything that such a message can hold. */
export const asRedfish: Quoting = (pieces) => ({
  status: 400,
  body: JSON.stringify({
    error: {
      code: 'Base.1.8.GeneralError',
      message: pieces.join(' '),
      '@Message.ExtendedInfo': pieces.map((piece) => ({
        MessageId: 'Base.1.8.PropertyValueError',
        Message: piece,
        MessageArgs: [piece],
        Severity: 'Critical',
        Resolution: `Do not send ${piece}`,
      })),
    },
  }),
});

/** As a BMC whose web server fails before its Redfish service is asked. */
export const asPage: Quoting = (pieces) => ({
  status: 400,
  body: `<html><body>${pieces.join('<br>')}</body></html>`,
});

/** As Ironic would. */
export const asIronic: Quoting = (pieces) => ({
  status: 400,
  body: JSON.stringify({ error_message: { faultstring: pieces.join(' '), faultcode: 'Client' } }),
});

const SENSITIVE = ['x-auth-token', 'authorization'] as const;
const HOP = /^(connection|host|content-length|transfer-encoding|keep-alive)$/;

/** What a careless service says of a request: its secrets first, lest a cut saves us. */
function piecesOf({ method, url, headers, body }: Asked): string[] {
  return [
    ...SENSITIVE.flatMap((name) =>
      headers[name] === undefined ? [] : [`${name}: ${String(headers[name])}`],
    ),
    ...(body === '' ? [] : [body, `body ${body.slice(-500)}`]),
    `${method} ${url}`,
  ];
}

export async function quotingProxy(to: string, quoting: Quoting, ca?: string): Promise<QuotingProxy> {
  const dispatcher = new Agent({ connect: ca === undefined ? {} : { ca } });
  const asked: Asked[] = [];
  const sessionTokens: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const bytes = await buffer(incoming);
    const one = { method, url, headers, body: bytes.toString() };
    asked.push(one);
    if (proxy.refuse(one)) {
      const { status, body } = quoting(piecesOf(one));
      outgoing.writeHead(status, { 'content-type': body.startsWith('<') ? 'text/html' : 'application/json' });
      return void outgoing.end(body);
    }
    const passed = Object.entries(headers).filter(([name]) => !HOP.test(name));
    const answer = await request(`${to}${url}`, {
      dispatcher,
      method: method as 'GET',
      headers: Object.fromEntries(passed) as Record<string, string>,
      ...(bytes.length === 0 ? {} : { body: bytes }),
    });
    const token = answer.headers['x-auth-token'];
    if (typeof token === 'string') sessionTokens.push(token);
    const kept = Object.entries(answer.headers).filter(([name]) => !HOP.test(name));
    outgoing.writeHead(answer.statusCode, Object.fromEntries(kept) as Record<string, string>);
    outgoing.end(Buffer.from(await answer.body.arrayBuffer()));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const proxy: QuotingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    sessionTokens,
    refuse: () => false,
    async close() {
      await new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
      await dispatcher.close();
    },
  };
  return proxy;
}
