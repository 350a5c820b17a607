import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TlsPolicy } from '../../../activities/redfish/endpoint.ts';
import { openBmc } from '../../../activities/redfish/transport.ts';
import { failureOf, scripted } from './fixtures.ts';
import { SYSTEM } from './scripted-bmc.ts';

x509.cryptoProvider.set(webcrypto as never);
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;

interface Made {
  key: string;
  cert: string;
  fingerprint: string;
}

/** A certificate by a CA of its own, for the given address, and that CA. */
async function issue(ip: string, until = Date.now() + DAY): Promise<Made & { ca: string }> {
  const [caKeys, keys] = await Promise.all(
    [1, 2].map(() => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])),
  );
  const notBefore = new Date(Date.now() - 2 * DAY);
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Test CA',
    keys: caKeys as never,
    signingAlgorithm: ALGORITHM,
    notBefore,
    notAfter: new Date(Date.now() + DAY),
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const cert = await x509.X509CertificateGenerator.create({
    subject: 'CN=bmc',
    issuer: ca.subject,
    publicKey: (keys as { publicKey: unknown }).publicKey as never,
    signingKey: (caKeys as { privateKey: unknown }).privateKey as never,
    signingAlgorithm: ALGORITHM,
    notBefore,
    notAfter: new Date(until),
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: ip }])],
  });
  const pkcs8 = await webcrypto.subtle.exportKey(
    'pkcs8',
    (keys as { privateKey: webcrypto.CryptoKey }).privateKey,
  );
  const body = Buffer.from(pkcs8)
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
  return {
    key: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`,
    cert: cert.toString('pem'),
    fingerprint: Buffer.from(await cert.getThumbprint('SHA-256')).toString('hex'),
    ca: ca.toString('pem'),
  };
}

let good: Made & { ca: string };
let other: Made & { ca: string };
let expired: Made & { ca: string };
beforeAll(async () => {
  good = await issue('127.0.0.1');
  other = await issue('10.9.8.7');
  expired = await issue('127.0.0.1', Date.now() - DAY);
});

const colons = (hex: string): string => hex.toUpperCase().match(/../g)!.join(':');

describe('certificate policy', () => {
  it.each<[string, () => TlsPolicy, () => Made, string]>([
    ['its CA', () => ({ ca: good.ca }), () => good, 'ok'],
    ['another CA', () => ({ ca: other.ca }), () => good, 'BMC_TLS_UNTRUSTED'],
    ['its CA, but another address', () => ({ ca: other.ca }), () => other, 'BMC_TLS_UNTRUSTED'],
    ['its CA, but expired', () => ({ ca: expired.ca }), () => expired, 'BMC_TLS_UNTRUSTED'],
    ['the CAs of the system', () => 'verify', () => good, 'BMC_TLS_UNTRUSTED'],
    ['nothing, as written', () => 'insecure', () => expired, 'ok'],
    ['its fingerprint', () => ({ fingerprint: `sha256:${good.fingerprint}` }), () => good, 'ok'],
    [
      'its fingerprint with colons',
      () => ({ fingerprint: `SHA256:${colons(other.fingerprint)}` }),
      () => other,
      'ok',
    ],
    [
      'another fingerprint',
      () => ({ fingerprint: `sha256:${other.fingerprint}` }),
      () => good,
      'BMC_TLS_FINGERPRINT',
    ],
    ['an empty fingerprint', () => ({ fingerprint: 'sha256:' }), () => good, 'BMC_TLS_FINGERPRINT'],
  ])('against %s', async (_name, tls, shown, code) => {
    const server = await scripted(shown());
    const bmc = openBmc(server.endpoint({ tls: tls() }));
    if (code === 'ok') {
      expect((await bmc.get(SYSTEM)).status).toBe(200);
      return;
    }
    const failure = await failureOf(bmc.get(SYSTEM));
    expect(failure).toMatchObject({ code, retryable: false });
    expect(server.calls).toHaveLength(0);
  });

  it('shows the fingerprint that was seen, for the contract', async () => {
    const server = await scripted(good);
    const bmc = openBmc(server.endpoint({ tls: { fingerprint: `sha256:${other.fingerprint}` } }));
    expect((await failureOf(bmc.get(SYSTEM))).message).toContain(`sha256:${good.fingerprint}`);
  });

  it('says that a plain port is no TLS port', async () => {
    const server = await scripted();
    const bmc = openBmc(server.endpoint({ address: server.url.replace('http:', 'https:') }));
    expect((await failureOf(bmc.get(SYSTEM))).code).toBe('BMC_TLS_FAILED');
  });

  it('refuses to pin a certificate on plain http', async () => {
    const server = await scripted();
    expect(() => openBmc(server.endpoint({ tls: { ca: good.ca } }))).toThrow(/plain http/);
  });
});
