import type { Console } from '../../contracts/inventory/console.ts';
import { consoleLines, consoleText } from '../../core/console.ts';
import type { OperationRef, TokenWindow } from '../../core/operations.ts';
import { shownUrl } from '../../core/redfish/media.ts';
import { credentialsOf } from '../secrets/credentials.ts';
import type { SecretSet } from '../secrets/redact.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { endOfFile, endOfUrl, type ConsoleEnd } from './source.ts';

/** What is shown of a console. */
const SHOWN_BYTES = 16 * 1024;
/** And what may be the end of a token that began before what was read; that is masked only as a whole. */
const LONGEST_TOKEN = 2048;
/** What is read: bytes make fewer characters, and of colours and cursors none is left. */
const READ_BYTES = 64 * 1024;

/** The last lines of a console, fit to be kept and told. */
export interface ConsoleTail {
  readonly lines: readonly string[];
  readonly writtenAt: string | null;
}

export interface ConsoleReader {
  readonly ref: OperationRef;
  readonly window: TokenWindow;
  readonly tokens: Tokens;
  readonly secrets: SecretSet;
  readonly signal: AbortSignal;
  secret(reference: string): Promise<string>;
}

/** Where a console is read, for people. */
export const shownConsole = (console: Console): string => console.file ?? shownUrl(console.url ?? '');

/** The last lines of a console, without secrets and tokens. Throws CONSOLE_UNREADABLE, SECRET_UNRESOLVED. */
export async function consoleTail(console: Console, reader: ConsoleReader): Promise<ConsoleTail> {
  const { bytes, cut, writtenAt } = await endOf(console, reader);
  const masked = reader.secrets.redactText(withoutOurTokens(consoleText(bytes), reader));
  const clean = cut ? withoutBeginning(masked) : masked;
  const lines = consoleLines(clean.slice(-SHOWN_BYTES)).map((line) => reader.secrets.redactText(line));
  return { lines, writtenAt };
}

/** Where there is more before it, it may begin within a token, however wrapped, and within a line. */
function withoutBeginning(text: string): string {
  const rest = text.slice(LONGEST_TOKEN);
  return rest.slice(rest.indexOf('\n') + 1);
}

/** The end of a console as it stands there, nothing masked: for its size and time only. Throws CONSOLE_UNREADABLE. */
export async function endOf(
  console: Console,
  { secret, signal }: Pick<ConsoleReader, 'secret' | 'signal'>,
): Promise<ConsoleEnd> {
  const most = READ_BYTES;
  const { file, url = '', credentials } = console;
  if (file !== undefined) return endOfFile(file, most);
  if (credentials === undefined) return endOfUrl(url, most, { signal });
  return endOfUrl(url, most, { login: await credentialsOf(credentials, secret), signal });
}

/** What may be a token of the gateway: a list in base64, a dot, a signature; also broken over lines. */
const LIKE_TOKEN = /WyJ[\w\s-]{20,2000}?\.(?:\s*[\w-]){43}/g;

/** A text in which the tokens of this site are masked, however they are wrapped, and the agent's of this boot. */
function withoutOurTokens(text: string, { tokens, ref, window }: ConsoleReader): string {
  const agent = tokens.agentToken(ref, window.epoch);
  const wrapped = new RegExp([...agent].join(String.raw`\s*`), 'g');
  return text
    .replaceAll(LIKE_TOKEN, (found) => {
      // What looks like the beginning of one may stand before it.
      for (let at = 0; at >= 0; at = found.indexOf('WyJ', at + 1)) {
        if (tokens.open(found.slice(at).replaceAll(/\s/g, '')) !== undefined) return `${found.slice(0, at)}…`;
      }
      return found;
    })
    .replaceAll(wrapped, '…');
}
