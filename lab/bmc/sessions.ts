import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Server } from '../server.ts';
import { noContent, problem, type Answer } from './messages.ts';
import { ROOT, resource, SESSION_LIMIT } from './services.ts';

const IDLE_MS = 1_800_000;
const LOCK_AFTER = 5;
const LOCK_MS = 60_000;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const same = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(hash(a)), Buffer.from(hash(b)));

/** Who may come in: sessions, Basic, and the lock that too many wrong passwords close. */
export class Gate {
  readonly #server: Server;
  #failures = 0;
  #lockedUntil = 0;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Whether a request with these headers is let in. */
  admits(headers: { authorization?: string | undefined; 'x-auth-token'?: unknown }): boolean {
    const token = headers['x-auth-token'];
    if (typeof token === 'string') return this.#admitsToken(token);
    const basic = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1];
    if (basic === undefined) return false;
    const [username = '', ...rest] = Buffer.from(basic, 'base64').toString().split(':');
    return this.#admitsPassword(username, rest.join(':'));
  }

  #admitsToken(token: string): boolean {
    const { sessions } = this.#server.state;
    const now = Date.now();
    const session = sessions.find((s) => s.tokenHash === hash(token) && now - s.usedAt < IDLE_MS);
    if (session === undefined) return false;
    if (this.#server.faults.take('sessionsForgotten')) {
      this.#server.change({ sessions: sessions.filter((s) => s !== session) });
      return false;
    }
    session.usedAt = now;
    return true;
  }

  #admitsPassword(username: string, password: string): boolean {
    if (Date.now() < this.#lockedUntil) return false;
    const { account } = this.#server.state;
    const right = same(username, account.username) && same(password, account.password);
    if (right && !this.#server.faults.take('passwordWrong')) {
      this.#failures = 0;
      return true;
    }
    if (++this.#failures >= LOCK_AFTER) {
      this.#failures = 0;
      this.#lockedUntil = Date.now() + LOCK_MS / this.#server.speed;
      this.#server.log.append('account-locked', { username: account.username });
    }
    return false;
  }

  /** Opens a session; with `pretend` it answers as if it had. */
  open(body: Readonly<Record<string, unknown>>, pretend = false): Answer {
    const { UserName: username, Password: password } = body;
    if (typeof username !== 'string') return problem(400, 'PropertyMissing', ['UserName']);
    if (typeof password !== 'string') return problem(400, 'PropertyMissing', ['Password']);
    if (!this.#admitsPassword(username, password))
      return problem(401, 'ResourceAtUriUnauthorized', [`${ROOT}/SessionService/Sessions`, '401']);
    const now = Date.now();
    const { nextId } = this.#server.state;
    const live = this.#server.state.sessions.filter((s) => now - s.usedAt < IDLE_MS);
    if (live.length >= SESSION_LIMIT || this.#server.faults.take('sessionLimit'))
      return problem(503, 'SessionLimitExceeded');
    const token = randomBytes(24).toString('base64url');
    const id = String(nextId);
    const session = { id, tokenHash: hash(token), username, createdAt: now, usedAt: now };
    this.#server.change({ nextId: nextId + 1, ...(pretend ? {} : { sessions: [...live, session] }) });
    const path = `${ROOT}/SessionService/Sessions/${id}`;
    return {
      status: 201,
      headers: { 'x-auth-token': token, location: path },
      body: resource(path, 'Session.v1_5_0.Session', 'User Session', { UserName: username }),
    };
  }

  close(id: string): Answer {
    if (this.#server.faults.take('logoutRefused')) return problem(401, 'NoValidSession');
    const { sessions } = this.#server.state;
    if (!sessions.some((s) => s.id === id)) return problem(404, 'ResourceNotFound', ['Session', id]);
    this.#server.change({ sessions: sessions.filter((s) => s.id !== id) });
    return noContent;
  }
}
