import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { preAuthenticationEncoding } from '../../core/acceptance/reports/statement.ts';
import type { SignatureAlgorithm } from '../../core/acceptance/report.ts';
import { fail } from '../../core/errors/failure.ts';

/** DSSE envelopes: https://github.com/secure-systems-lab/dsse */
export interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid?: string; readonly sig: string }[];
}

/** A key that signs or verifies, and the id that it goes by: SHA-256 of the public key, DER. */
export interface Key {
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  readonly object: KeyObject;
}

const HOW_TO_MAKE_ONE = '`openssl genpkey -algorithm ed25519 -out signing.pem` makes one.';

/** Reads a private key from PEM (PKCS#8). Throws SIGNING_KEY_INVALID, which never holds a part of it. */
export function signingKey(pem: string): Key {
  let object: KeyObject;
  try {
    object = createPrivateKey(pem);
  } catch {
    const why = /ENCRYPTED/.test(pem)
      ? 'it is encrypted, and no passphrase is asked for'
      : 'it is no such PEM';
    throw fail('SIGNING_KEY_INVALID', `The signing key cannot be read as a PKCS#8 private key: ${why}.`);
  }
  return keyOf(object, createPublicKey(object));
}

/** Reads a public key from PEM. Throws INVALID_MESSAGE; a private key is refused, since it does not belong here. */
export function verificationKey(pem: string, where: string): Key {
  const refuse = (why: string): Error =>
    fail('INVALID_MESSAGE', `key: ${where} ${why}.`, {
      correction:
        '`openssl pkey -in signing.pem -pubout -out public.pem` makes the public key of a private one.',
    });
  if (pem.includes('PRIVATE KEY')) throw refuse('holds a private key; verifying takes the public one');
  let object: KeyObject;
  try {
    object = createPublicKey(pem);
  } catch {
    throw refuse('is no public key as PEM');
  }
  if (algorithmOf(object) === undefined) throw refuse('is neither an Ed25519 nor a P-256 key');
  return keyOf(object, object);
}

function keyOf(object: KeyObject, publicKey: KeyObject): Key {
  const algorithm = algorithmOf(publicKey);
  if (algorithm === undefined) {
    throw fail(
      'SIGNING_KEY_INVALID',
      `The signing key is neither an Ed25519 nor a P-256 key. ${HOW_TO_MAKE_ONE}`,
    );
  }
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(der).digest('hex'), algorithm, object };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SignatureAlgorithm | undefined {
  if (asymmetricKeyType === 'ed25519') return 'ed25519';
  const isP256 = asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  return isP256 ? 'ecdsa-p256' : undefined;
}

const hashFor = ({ algorithm }: Key): 'sha256' | null => (algorithm === 'ed25519' ? null : 'sha256');

/** Signs a payload. */
export function seal(payloadType: string, payload: string, key: Key): Envelope {
  const bytes = Buffer.from(payload, 'utf8');
  const sig = sign(hashFor(key), preAuthenticationEncoding(payloadType, bytes), key.object);
  return {
    payload: bytes.toString('base64'),
    payloadType,
    signatures: [{ keyid: key.id, sig: sig.toString('base64') }],
  };
}

/** Whether one of an envelope's signatures is by this key. The ids that stand beside them decide nothing. */
export function isBy({ payloadType, payload, signatures }: Envelope, key: Key): boolean {
  const signed = preAuthenticationEncoding(payloadType, Buffer.from(payload, 'base64'));
  return signatures.some(({ sig }) => verify(hashFor(key), signed, key.object, Buffer.from(sig, 'base64')));
}

/** Reads an envelope; undefined if it is none. */
export function readEnvelope(text: string): Envelope | undefined {
  let value: Partial<Envelope> | null;
  try {
    value = JSON.parse(text) as Partial<Envelope> | null;
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { payload, payloadType, signatures } = value;
  if (typeof payloadType !== 'string' || !isBase64(payload) || !Array.isArray(signatures)) return undefined;
  const all = signatures.every(
    (each: unknown) => typeof each === 'object' && each !== null && isBase64((each as { sig?: unknown }).sig),
  );
  return all ? { payload, payloadType, signatures } : undefined;
}

/** Standard or for URLs: both are to be taken. */
const isBase64 = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value);
