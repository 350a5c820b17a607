/** A secret that is to be found nowhere. */
export interface Canary {
  readonly name: string;
  readonly bytes: Buffer;
}

/** One way in which a secret can be written down. */
export interface Form {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Shorter pieces could stand somewhere by chance. */
const SHORTEST = 8;

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

/**
 * What the bytes become within a longer base64 text, for each of the three places they can begin at;
 * characters that depend on their neighbours are left out.
 */
function base64Forms(bytes: Buffer): Form[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const text = padded.toString('base64').replace(/=+$/, '');
    const middle = text.slice(offset === 0 ? 0 : offset + 1, padded.length % 3 === 0 ? undefined : -1);
    return [
      { name: `base64 (${offset})`, bytes: latin(middle) },
      {
        name: `base64url (${offset})`,
        bytes: latin(middle.replaceAll('+', '-').replaceAll('/', '_')),
      },
    ];
  });
}

const percent = (bytes: Buffer, digits: (hex: string) => string): string =>
  [...bytes].map((byte) => `%${digits(byte.toString(16).padStart(2, '0'))}`).join('');

/** Every form of a secret that is looked for, each once. */
export function formsOf(bytes: Buffer): Form[] {
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(bytes);
  const forms: Form[] = [
    { name: 'plain', bytes },
    { name: 'hex', bytes: latin(bytes.toString('hex')) },
    { name: 'HEX', bytes: latin(bytes.toString('hex').toUpperCase()) },
    ...base64Forms(bytes),
    { name: 'percent', bytes: latin(percent(bytes, (hex) => hex)) },
    { name: 'PERCENT', bytes: latin(percent(bytes, (hex) => hex.toUpperCase())) },
    ...(isText
      ? [
          { name: 'JSON', bytes: Buffer.from(JSON.stringify(text).slice(1, -1)) },
          { name: 'JSON in JSON', bytes: Buffer.from(JSON.stringify(JSON.stringify(text)).slice(3, -3)) },
          { name: 'URL component', bytes: latin(encodeURIComponent(text)) },
          { name: 'form', bytes: latin(new URLSearchParams([['', text]]).toString().slice(1)) },
          { name: 'UTF-16', bytes: Buffer.from(text, 'utf16le') },
        ]
      : []),
  ];
  const seen = new Set<string>();
  return forms.filter(({ bytes: form }) => {
    const key = form.toString('latin1');
    if (form.length < SHORTEST || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
