/** What is wrong with a certificate, as Node.js calls it. */
export const TLS_CODES =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|EPROTO|HOSTNAME_MISMATCH)/;

/**
 * All bytes of a body that may not be longer.
 *
 * @param tooLong makes what is thrown where it is
 */
export async function readBounded(
  body: AsyncIterable<Uint8Array>,
  most: number,
  tooLong: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The words that a service answers an error with, out of the layers of JSON, and of JSON as text within it, that they
 * are wrapped in; empty where there are none.
 *
 * @param depth how many layers there may be
 * @param inner what of a layer may hold them
 */
export function wordsWithin(
  body: string,
  depth: number,
  inner: (layer: { readonly [field: string]: unknown }) => unknown,
): string {
  let value: unknown = body;
  for (let layer = 0; layer < depth; layer++) {
    if (typeof value === 'string') {
      try {
        value = JSON.parse(value);
      } catch {
        break;
      }
    }
    if (typeof value !== 'object' || value === null) break;
    value = inner(value as { readonly [field: string]: unknown });
  }
  return typeof value === 'string' ? value : '';
}
