/** What stands in the place of a secret. */
export const MASK = '[redacted]';

/** Shorter secrets are masked only where they are a whole value: as parts they are everywhere. */
const MIN_PART = 4;

const BASE64_TAIL = /=+$/;
const toUrlAlphabet = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');

/**
 * The characters that the secret becomes within a longer base64 text (such as a Basic header), for
 * each of the three places it can begin at; characters that depend on its neighbours are left out.
 */
function base64Pieces(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const encoded = padded.toString('base64').replace(BASE64_TAIL, '');
    const first = offset === 0 ? 0 : offset + 1;
    const last = padded.length % 3 === 0 ? encoded.length : encoded.length - 1;
    return encoded.slice(first, last);
  });
}

/** The forms that a secret takes in headers, URLs, bodies and logs. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const url = encodeURIComponent(bytes.toString('utf8'));
  const base64 = [bytes.toString('base64').replace(BASE64_TAIL, ''), ...base64Pieces(bytes)];
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    url,
    url.toLowerCase(),
    url.replaceAll('%20', '+'),
    new URLSearchParams([['', secret]]).toString().slice(1),
    bytes.toString('hex'),
    ...base64,
    ...base64.map(toUrlAlphabet),
  ].filter((form) => form.length >= MIN_PART);
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/** The secrets that a process has resolved, and the forms they may leak in. */
export class SecretSet {
  readonly #secrets = new Set<string>();
  readonly #forms = new Set<string>();
  #pattern: RegExp | undefined;

  constructor(secrets: Iterable<string> = []) {
    for (const secret of secrets) this.add(secret);
  }

  /** Remembers a secret; lines of a longer one (a key file) are masked one by one too. */
  add(secret: string): void {
    if (secret === '' || this.#secrets.has(secret)) return;
    this.#secrets.add(secret);
    for (const part of [secret, ...(secret.includes('\n') ? secret.split(/\r?\n/) : [])]) {
      for (const form of formsOf(part)) this.#forms.add(form);
    }
    this.#pattern = undefined;
  }

  /** The text with every known secret masked, in whatever form. */
  redactText(text: string): string {
    if (this.#secrets.has(text)) return MASK;
    if (this.#forms.size === 0) return text;
    this.#pattern ??= new RegExp(
      [...this.#forms]
        .sort((a, b) => b.length - a.length)
        .map(escaped)
        .join('|'),
      'g',
    );
    return text.replace(this.#pattern, MASK);
  }

  /** Whether this number or truth value, written out, is a secret. */
  has(value: unknown): boolean {
    return this.#secrets.has(String(value));
  }
}

/**
 * A copy of a JSON value in which every known secret is masked, in keys and values, raw or encoded.
 * Members whose keys become equal by that keep the last value.
 */
export function redact<T>(value: T, secrets: SecretSet): T {
  return redactValue(value, secrets) as T;
}

function redactValue(value: unknown, secrets: SecretSet): unknown {
  if (typeof value === 'string') return secrets.redactText(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, secrets));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [secrets.redactText(key), redactValue(inner, secrets)]),
    );
  }
  if (typeof value === 'number' || typeof value === 'bigint') return secrets.has(value) ? MASK : value;
  return value;
}
