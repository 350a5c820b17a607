import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BmcEndpoint } from '../../../../activities/redfish/endpoint.ts';
import type { Tree } from './payloads.ts';

/** How a path without a body is answered: that it was not captured does not tell what the BMC says there. */
export type Missing = '404' | '500' | 'page' | 'error as success';

const SESSIONS = '/redfish/v1/SessionService/Sessions';
const ERROR = { error: { code: 'Base.1.0.GeneralError', message: 'A general error has occurred.' } };
const MISSING: { readonly [how in Missing]: readonly [number, string, string] } = {
  404: [404, 'application/json', JSON.stringify(ERROR)],
  500: [500, 'application/json', JSON.stringify(ERROR)],
  page: [200, 'text/html', '<html><body>Please log in</body></html>'],
  'error as success': [200, 'application/json', JSON.stringify(ERROR)],
};

export const CREDENTIALS = { username: 'operator', password: 'captured-password' };

/** A BMC that only shows a tree of bodies, to who has logged in or sends Basic. Nothing in it can be changed. */
export class PayloadServer {
  /** What was asked beside reading and logging in and out. */
  readonly writes: string[] = [];
  /** Paths that were read, in order. */
  readonly reads: string[] = [];
  private readonly tree: Tree;
  private readonly missing: Missing;
  private readonly server: Server;
  private readonly sessions = new Set<string>();

  constructor(tree: Tree, missing: Missing = '404') {
    this.tree = tree;
    this.missing = missing;
    this.server = createServer((req, res) => {
      this.serve(req, res);
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  endpoint(over: Partial<BmcEndpoint> = {}): BmcEndpoint {
    return {
      address: this.url,
      credentials: CREDENTIALS,
      tls: 'insecure',
      timeouts: { retryPausesMs: [] },
      ...over,
    };
  }

  private proven({ headers }: IncomingMessage): boolean {
    const { username, password } = CREDENTIALS;
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    return headers.authorization === basic || this.sessions.has(String(headers['x-auth-token']));
  }

  private serve(req: IncomingMessage, res: ServerResponse): void {
    const path = (req.url ?? '').replace(/\/+$/, '');
    const { method = '' } = req;
    const answer = (status: number, type: string, text: string): void =>
      void res.writeHead(status, { 'content-type': type }).end(text);
    if (method === 'POST' && path === SESSIONS) {
      let text = '';
      req.on('data', (chunk: Buffer) => (text += chunk.toString()));
      req.on('end', () => this.login(text, res));
      return;
    }
    if (path !== '/redfish/v1' && !this.proven(req)) {
      answer(401, 'application/json', '{}');
    } else if (method === 'DELETE' && path.startsWith(`${SESSIONS}/`)) {
      this.sessions.delete(path.slice(SESSIONS.length + 1));
      res.writeHead(204).end();
    } else if (method !== 'GET') {
      this.writes.push(`${method} ${path}`);
      answer(405, 'application/json', JSON.stringify(ERROR));
    } else {
      this.reads.push(path);
      const body = this.tree.get(path);
      if (body === undefined) answer(...MISSING[this.missing]);
      else answer(200, 'application/json', JSON.stringify(body));
    }
  }

  private login(text: string, res: ServerResponse): void {
    const { UserName, Password } = JSON.parse(text) as { UserName?: string; Password?: string };
    if (UserName !== CREDENTIALS.username || Password !== CREDENTIALS.password) {
      res.writeHead(401, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const token = `token-${this.sessions.size + 1}`;
    this.sessions.add(token);
    res
      .writeHead(201, {
        'content-type': 'application/json',
        'x-auth-token': token,
        location: `${SESSIONS}/${token}`,
      })
      .end('{}');
  }
}
