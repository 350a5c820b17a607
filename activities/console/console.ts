import type { Console } from '../../contracts/inventory/console.ts';
import { isSecretRef } from '../../contracts/inventory/primitives.ts';
import { consoleLines, consoleText } from '../../core/console.ts';
import type { OperationRef, TokenWindow } from '../../core/operations.ts';
import { shownUrl } from '../../core/redfish/media.ts';
import type { SecretSet } from '../secrets/redact.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { endOfFile, endOfUrl, type ConsoleEnd } from './source.ts';

/** What is shown of a console. */
const SHOWN_BYTES = 16 * 1024;
/** And what is read before that: a token that began there is seen whole. */
const LONGEST_TOKEN = 2048;

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
  const whole = consoleText(bytes);
  // Where there is more before it, its first line is a part of one.
  const text = cut ? whole.slice(whole.indexOf('\n') + 1) : whole;
  const clean = reader.secrets.redactText(withoutOurTokens(text, reader));
  const lines = consoleLines(clean.slice(-SHOWN_BYTES)).map((line) => reader.secrets.redactText(line));
  return { lines, writtenAt };
}

async function endOf(console: Console, { secret, signal }: ConsoleReader): Promise<ConsoleEnd> {
  const most = SHOWN_BYTES + LONGEST_TOKEN;
  const { file, url = '', credentials } = console;
  if (file !== undefined) return endOfFile(file, most);
  if (credentials === undefined) return endOfUrl(url, most, { signal });
  const { username, password } = credentials;
  const login = {
    username: isSecretRef(username) ? await secret(username) : username,
    password: await secret(password),
  };
  return endOfUrl(url, most, { login, signal });
}

/** What may be a token of the gateway: a list in base64, a dot, a signature; also broken over lines. */
const LIKE_TOKEN = /WyJ[\w\s-]{20,2000}?\.(?:\s*[\w-]){43}/g;

/** A text in which the tokens of this site are masked, however they are wrapped, and the agent's of this boot. */
function withoutOurTokens(text: string, { tokens, ref, window }: ConsoleReader): string {
  const agent = tokens.agentToken(ref, window.epoch);
  const wrapped = new RegExp([...agent].join(String.raw`\s*`), 'g');
  return text
    .replaceAll(LIKE_TOKEN, (found) => (tokens.open(found.replaceAll(/\s/g, '')) === undefined ? found : '…'))
    .replaceAll(wrapped, '…');
}
