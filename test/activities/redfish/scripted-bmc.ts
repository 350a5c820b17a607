import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { BmcEndpoint } from '../../../activities/redfish/endpoint.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** What a handler gives back: a status with a body, or nothing when it answered by itself. */
export type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | void;
export type Handler = (call: Call, res: ServerResponse, req: IncomingMessage) => Answer | Promise<Answer>;

export const SYSTEM = '/redfish/v1/Systems/1';
export const CD = '/redfish/v1/Managers/1/VirtualMedia/Cd';

const link = (uri: string): { '@odata.id': string } => ({ '@odata.id': uri });

/** A BMC that does as told: plain resources, and handlers that a test puts over them. */
export class ScriptedBmc {
  readonly calls: Call[] = [];
  readonly resources = new Map<string, Record<string, unknown>>();
  readonly sessions = new Set<string>();
  password = 'calvin';
  private readonly handlers = new Map<string, Handler>();
  private readonly sockets = new Set<Socket>();
  private readonly server;
  private readonly scheme: 'http' | 'https';

  constructor(tls?: { key: string; cert: string }) {
    const listener: RequestListener = (req, res) => void this.serve(req, res);
    this.scheme = tls === undefined ? 'http' : 'https';
    this.server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.put('/redfish/v1/', {
      RedfishVersion: '1.11.0',
      Systems: link('/redfish/v1/Systems'),
      Managers: link('/redfish/v1/Managers'),
      SessionService: link('/redfish/v1/SessionService'),
      Links: { Sessions: link('/redfish/v1/SessionService/Sessions') },
    });
    this.collect('/redfish/v1/Systems', [SYSTEM]);
    this.collect('/redfish/v1/Managers', ['/redfish/v1/Managers/1']);
    this.put('/redfish/v1/Managers/1', { VirtualMedia: link('/redfish/v1/Managers/1/VirtualMedia') });
    this.collect('/redfish/v1/Managers/1/VirtualMedia', [CD]);
    this.put(CD, {
      MediaTypes: ['CD', 'DVD'],
      Image: null,
      Inserted: false,
      ConnectedVia: 'NotConnected',
      Actions: {
        '#VirtualMedia.InsertMedia': { target: `${CD}/Actions/VirtualMedia.InsertMedia` },
        '#VirtualMedia.EjectMedia': { target: `${CD}/Actions/VirtualMedia.EjectMedia` },
      },
    });
    this.put(SYSTEM, {
      '@odata.type': '#ComputerSystem.v1_13_0.ComputerSystem',
      Manufacturer: 'Contoso',
      PowerState: 'Off',
      Boot: {
        BootSourceOverrideEnabled: 'Disabled',
        BootSourceOverrideTarget: 'None',
        'BootSourceOverrideTarget@Redfish.AllowableValues': ['None', 'Pxe', 'Cd', 'Hdd'],
        BootSourceOverrideMode: 'UEFI',
      },
      Links: { ManagedBy: [link('/redfish/v1/Managers/1')] },
      Actions: { '#ComputerSystem.Reset': { target: `${SYSTEM}/Actions/ComputerSystem.Reset` } },
    });
    this.on('POST', '/redfish/v1/SessionService/Sessions', (call) => this.login(call));
    this.on('POST', `${SYSTEM}/Actions/ComputerSystem.Reset`, (call) => {
      const type = (call.body as { ResetType?: string }).ResetType ?? '';
      this.patch(SYSTEM, { PowerState: /Off|Shutdown/.test(type) ? 'Off' : 'On' });
      return { status: 204 };
    });
    this.on('POST', `${CD}/Actions/VirtualMedia.InsertMedia`, (call) => {
      this.insert(CD, (call.body as { Image: string }).Image);
      return { status: 204 };
    });
    this.on('POST', `${CD}/Actions/VirtualMedia.EjectMedia`, () => {
      this.patch(CD, { Image: null, Inserted: false, ConnectedVia: 'NotConnected' });
      return { status: 204 };
    });
    this.on('PATCH', SYSTEM, (call) => {
      this.patchBoot(call.body);
      return { status: 200, body: this.resources.get(SYSTEM) };
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** An endpoint with short time-outs, for this BMC. */
  endpoint(over: Partial<BmcEndpoint> = {}): BmcEndpoint {
    return {
      address: this.url,
      credentials: { username: 'root', password: 'calvin' },
      tls: 'insecure',
      ...over,
      timeouts: { retryPausesMs: [5, 10], sessionIdleMs: 20, ...over.timeouts },
    };
  }

  put(path: string, body: Record<string, unknown>): void {
    this.resources.set(path.replace(/\/+$/, ''), { '@odata.id': path, ...body });
  }

  patch(path: string, body: Record<string, unknown>): void {
    this.resources.set(path, { ...this.resources.get(path), ...body });
  }

  patchBoot(body: unknown): void {
    const { Boot } = this.resources.get(SYSTEM) as { Boot: object };
    this.patch(SYSTEM, { Boot: { ...Boot, ...(body as { Boot?: object }).Boot } });
  }

  insert(slot: string, image: string): void {
    this.patch(slot, { Image: image, Inserted: true, ConnectedVia: 'URI' });
  }

  collect(path: string, members: readonly string[]): void {
    this.put(path, { Members: members.map(link) });
  }

  on(method: string, path: string, handler: Handler): void {
    this.handlers.set(`${method} ${path}`, handler);
  }

  /** The calls of one kind, in order. */
  asked(method: string, path?: string | RegExp): Call[] {
    return this.calls.filter(
      (c) =>
        c.method === method &&
        (path === undefined || (typeof path === 'string' ? c.path === path : path.test(c.path))),
    );
  }

  private login(call: Call): Answer {
    const { UserName, Password } = call.body as { UserName?: string; Password?: string };
    if (UserName !== 'root' || Password !== this.password) return { status: 401, body: {} };
    const token = `token-${this.calls.length}`;
    this.sessions.add(token);
    return {
      status: 201,
      headers: { 'X-Auth-Token': token, Location: `/redfish/v1/SessionService/Sessions/${token}` },
      body: {},
    };
  }

  private proven(headers: IncomingMessage['headers']): boolean {
    const basic = `Basic ${Buffer.from(`root:${this.password}`).toString('base64')}`;
    return headers.authorization === basic || this.sessions.has(String(headers['x-auth-token']));
  }

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const method = req.method ?? '';
    const path = req.url ?? '';
    const call = {
      method,
      path,
      headers: req.headers,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
    this.calls.push(call);
    const open = path === '/redfish/v1/' || (method === 'POST' && path.endsWith('/Sessions'));
    const session = /\/Sessions\/(.+)$/.exec(path)?.[1];
    let answer: Answer = { status: 404, body: {} };
    const handler = this.handlers.get(`${method} ${path}`) ?? this.handlers.get(`${method} *`);
    if (!open && !this.proven(req.headers)) answer = { status: 401, body: {} };
    else if (handler !== undefined) answer = await handler(call, res, req);
    else if (method === 'DELETE' && session !== undefined) {
      this.sessions.delete(session);
      answer = { status: 204 };
    } else if (method === 'GET' && this.resources.has(path.replace(/\/+$/, ''))) {
      answer = { status: 200, body: this.resources.get(path.replace(/\/+$/, '')) };
    }
    if (answer === undefined || res.headersSent || res.destroyed) return;
    res.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    res.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  }
}

/** An error body with one message. */
export const redfishError = (id: string, message: string, extra: Record<string, unknown> = {}): unknown => ({
  error: {
    code: 'Base.1.8.GeneralError',
    message: 'A general error has occurred. See ExtendedInfo for more information.',
    '@Message.ExtendedInfo': [{ MessageId: `Base.1.8.${id}`, Message: message, ...extra }],
  },
});
