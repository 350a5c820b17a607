import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { objectOf, textOf, toldOf } from '../../core/agent/read.ts';
import { readCommand, readCommands, type AgentCommand } from '../../core/agent/command.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import type { AgentContact } from '../../core/operations.ts';

/** How the agent of one boot is spoken to. */
export interface AgentEndpoint {
  readonly contact: AgentContact;
  /** The token that the agent was given at its lookup. Goes nowhere but there. */
  readonly token: string;
  readonly signal?: AbortSignal | undefined;
  /** The bound of one request. @default 15000 */
  readonly requestMs?: number;
}

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const CONNECT_MS = 5_000;
/** Synchronous commands are answered when they are done; looking at hardware, LLDP included, takes a while. */
const COMMAND_MS = 55_000;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * The client of one deploy agent. Each request has a connection of its own: an agent leaves the body of
 * a request that it refuses unread, and the next one on that connection would be taken apart.
 */
export class AgentClient {
  readonly #endpoint: AgentEndpoint;
  readonly #fingerprint: string;

  constructor(endpoint: AgentEndpoint) {
    this.#endpoint = endpoint;
    this.#fingerprint = new X509Certificate(endpoint.contact.certificate).fingerprint256;
  }

  /** Whether it is there and who it says it is; needs no token. */
  async status(): Promise<{ version: string | null; startedAt: string | null }> {
    const { status, body } = await this.#send('GET', '/v1/status');
    if (status !== 200) throw this.#unwelcome('Its status', { status, body });
    const { version, started_at: startedAt } = objectOf(body);
    return { version: textOf(version), startedAt: textOf(startedAt) };
  }

  /** Every command that this agent was given, oldest first. */
  async commands(): Promise<AgentCommand[]> {
    const answer = await this.#send('GET', '/v1/commands/', { token: true });
    if (answer.status !== 200) throw this.#unwelcome('Its commands', answer);
    return readCommands(answer.body);
  }

  async command(id: string): Promise<AgentCommand> {
    const answer = await this.#send('GET', `/v1/commands/${encodeURIComponent(id)}`, { token: true });
    if (answer.status !== 200) throw this.#unwelcome('A command', answer);
    return this.#read(answer);
  }

  /**
   * Gives it a command. With `wait` the answer is the result; without it, a long command is still running.
   * A command that must not run twice is looked for in `commands` first.
   */
  async start(name: string, params: object, options: { wait?: boolean } = {}): Promise<AgentCommand> {
    const { wait = false } = options;
    const answer = await this.#send('POST', `/v1/commands/?wait=${wait}`, {
      token: true,
      body: { name, params },
      ms: wait ? COMMAND_MS : undefined,
    });
    if (answer.status !== 200) throw this.#unwelcome(name, answer);
    return this.#read(answer);
  }

  #read(answer: Answer): AgentCommand {
    const command = readCommand(answer.body);
    if (command !== undefined) return command;
    throw fail('AGENT_ANSWER_INVALID', `${this.#where()} answered something else than a command.`);
  }

  #where(): string {
    return `The deploy agent at ${this.#endpoint.contact.callbackUrl}`;
  }

  #unwelcome(what: string, { status, body }: Answer): RackwrightError {
    const fields = objectOf(body);
    const said = ['faultstring', 'message', 'details']
      .map((name) => toldOf(fields[name], 300))
      .find((text) => text !== null);
    const text = `${this.#where()}: ${what}: ${status}${said === undefined ? '' : ` ${said}`}`;
    if (status === 401 || status === 403) return fail('AGENT_REFUSED_TOKEN', `${text}.`);
    if (status === 409) return fail('AGENT_BUSY', `${text}.`, {}, { retryAfterMs: 3_000 });
    if (status >= 400 && status < 500) return fail('AGENT_REFUSED', `${text}.`);
    return fail('AGENT_ANSWER_INVALID', `${text}.`);
  }

  #send(
    method: 'GET' | 'POST',
    path: string,
    options: { token?: boolean; body?: unknown; ms?: number | undefined } = {},
  ): Promise<Answer> {
    const { contact, token, signal, requestMs = 15_000 } = this.#endpoint;
    const url = new URL(path, contact.callbackUrl);
    if (options.token === true) url.searchParams.set('agent_token', token);
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const bound = AbortSignal.timeout(options.ms ?? requestMs);
    return new Promise<Answer>((resolve, reject) => {
      const failed = (error: unknown): void =>
        reject(signal?.aborted === true ? (signal.reason as Error) : this.#unanswered(error));
      const sent = request(url, {
        method,
        agent: false,
        timeout: CONNECT_MS,
        signal: signal === undefined ? bound : AbortSignal.any([signal, bound]),
        // The certificate of its heartbeat is the only one that is trusted, and must be the very one shown.
        ca: contact.certificate,
        minVersion: 'TLSv1.2',
        checkServerIdentity: (_host, shown) =>
          shown.fingerprint256 === this.#fingerprint ? undefined : new Untrusted(),
        headers: {
          accept: 'application/json',
          connection: 'close',
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
      });
      sent.on('socket', (socket) => {
        socket.once('secureConnect', () => sent.setTimeout(0));
      });
      sent.on('timeout', () => sent.destroy(new Error('connect timeout')));
      sent.on('error', failed);
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_ANSWER_BYTES) response.destroy(new TooLarge());
          else chunks.push(chunk);
        });
        response.on('error', failed);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, body: json(text) });
        });
      });
      sent.end(body);
    });
  }

  #unanswered(error: unknown): RackwrightError {
    if (error instanceof RackwrightError) return error;
    const code = (error as { code?: unknown }).code;
    const reason = typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown error';
    if (error instanceof TooLarge) return fail('AGENT_ANSWER_INVALID', `${this.#where()} answers too much.`);
    if (error instanceof Untrusted || UNTRUSTED.test(reason)) {
      return fail('AGENT_UNTRUSTED', `${this.#where()} does not show the certificate of its heartbeat.`);
    }
    return fail(
      'AGENT_UNREACHABLE',
      `${this.#where()} does not answer (${reason}).`,
      {},
      { retryAfterMs: 3_000 },
    );
  }
}

const UNTRUSTED =
  /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS_CERT_ALTNAME|ERR_TLS|INVALID_CA|HOSTNAME)/;

class Untrusted extends Error {}
class TooLarge extends Error {}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
