import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto);

const DAY = 86_400_000;

/** A key and its certificate, both as PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

const algorithmOf = (namedCurve: 'P-256' | 'P-384') =>
  ({ name: 'ECDSA', namedCurve, hash: namedCurve === 'P-256' ? 'SHA-256' : 'SHA-384' }) as const;

const serialNumber = (): string =>
  `01${Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString('hex')}`;

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

const newKeys = (curve: 'P-256' | 'P-384'): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(algorithmOf(curve), true, [
    'sign',
    'verify',
  ]) as Promise<webcrypto.CryptoKeyPair>;

/** The certificate that a deploy agent makes for itself: P-384, for one address, for 30 days. */
export async function selfSigned(address: string): Promise<Identity> {
  const keys = await newKeys('P-384');
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${address}`,
    notBefore: new Date(Date.now() - DAY / 24),
    notAfter: new Date(Date.now() + 30 * DAY),
    signingAlgorithm: algorithmOf('P-384'),
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: address }]),
    ],
  });
  return { key: await privatePem(keys.privateKey), cert: certificate.toString('pem') };
}

/** A certificate authority of the lab's own. */
export async function newAuthority(name: string): Promise<Identity> {
  const keys = await newKeys('P-256');
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${name}`,
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + 3650 * DAY),
    signingAlgorithm: algorithmOf('P-256'),
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { key: await privatePem(keys.privateKey), cert: certificate.toString('pem') };
}

/** A server certificate that the authority signs. */
export async function issue(authority: Identity, name: string, address: string): Promise<Identity> {
  const keys = await newKeys('P-256');
  const ca = new x509.X509Certificate(authority.cert);
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(authority.key),
    algorithmOf('P-256'),
    false,
    ['sign'],
  );
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: `CN=${name}`,
    issuer: ca.subject,
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + 3650 * DAY),
    signingAlgorithm: algorithmOf('P-256'),
    publicKey: keys.publicKey,
    signingKey: signingKey as webcrypto.CryptoKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: address },
        { type: 'dns', value: `${name}.bmc.lab` },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(ca.publicKey),
    ],
  });
  return { key: await privatePem(keys.privateKey), cert: certificate.toString('pem') };
}
