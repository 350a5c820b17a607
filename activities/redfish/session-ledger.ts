import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asObject, asText } from '../../core/redfish/read.ts';
import { namesIn, removeFile, replaceFile } from '../records/atomic-file.ts';

/** Sessions by the origin of their BMC, as paths. */
type Sessions = { [origin: string]: string[] };

/** Of each BMC that many are remembered: more than any lets in. */
const REMEMBERED = 64;

/**
 * Which sessions this process has open on BMCs, on disk: a process that is killed cannot log out, and a BMC
 * lets only so many in. The next process takes over what it left and closes it (see `Authenticator`).
 */
export class SessionLedger {
  readonly #path: string;
  readonly #open: Sessions = {};
  readonly #abandoned: Sessions = {};
  #written: Promise<unknown> = Promise.resolve();

  private constructor(path: string) {
    this.#path = path;
  }

  /** The ledger of this process in a folder that processes share; takes over those of processes that are gone. */
  static async open(folder: string): Promise<SessionLedger> {
    const own = `${process.pid}.json`;
    const ledger = new SessionLedger(join(folder, own));
    const gone = (await namesIn(folder)).filter((name) => name === own || !isAlive(name));
    for (const name of gone) {
      for (const [origin, uris] of await sessionsIn(join(folder, name))) add(ledger.#abandoned, origin, uris);
    }
    await ledger.#write();
    for (const name of gone) if (name !== own) await removeFile(join(folder, name));
    return ledger;
  }

  /** A session was opened: told before it is used. */
  async opened(origin: string, uri: string): Promise<void> {
    // A BMC that gives the same name again means another session.
    remove(this.#abandoned, origin, uri);
    add(this.#open, origin, [uri]);
    await this.#write();
  }

  /** A session is gone, whoever ended it. */
  async closed(origin: string, uri: string): Promise<void> {
    remove(this.#open, origin, uri);
    remove(this.#abandoned, origin, uri);
    await this.#write();
  }

  /** What processes that are gone left open on a BMC. */
  abandoned(origin: string): readonly string[] {
    return [...(this.#abandoned[origin] ?? [])];
  }

  /** What cannot be written down costs a BMC a session for a while, and no work. */
  async #write(): Promise<void> {
    const content = () => JSON.stringify({ open: this.#open, abandoned: this.#abandoned });
    this.#written = this.#written.then(() => replaceFile(this.#path, content())).catch(() => undefined);
    await this.#written;
  }
}

function add(sessions: Sessions, origin: string, uris: readonly string[]): void {
  sessions[origin] = [...new Set([...(sessions[origin] ?? []), ...uris])].slice(-REMEMBERED);
}

function remove(sessions: Sessions, origin: string, uri: string): void {
  const left = (sessions[origin] ?? []).filter((each) => each !== uri);
  if (left.length > 0) sessions[origin] = left;
  else delete sessions[origin];
}

/** Whether a process runs; one of another user does, too. */
function isAlive(name: string): boolean {
  const pid = Number.parseInt(name, 10);
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** What a ledger holds; nothing if it is no ledger. */
async function sessionsIn(path: string): Promise<[string, string[]][]> {
  try {
    const { open, abandoned } = asObject(JSON.parse(await readFile(path, 'utf8')));
    return [asObject(open), asObject(abandoned)].flatMap((sessions) =>
      Object.entries(sessions).map(([origin, uris]): [string, string[]] => [
        origin,
        (Array.isArray(uris) ? uris : []).flatMap((uri) => asText(uri) ?? []),
      ]),
    );
  } catch {
    return [];
  }
}
