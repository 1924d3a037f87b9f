// tsyringe, which the library uses, requires this polyfill before it.
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate and its private key (PEM). */
export interface CertificateAndKey {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 20 * 365;
const SERVER_DAYS = 5 * 365;
/** A clock that is a little behind must not reject a new certificate. */
const BACKDATED_MS = DAY_MS;
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** Creates a certificate authority (P-256, 20 years) that may sign certificates of servers only, not other authorities. */
export const createAuthority = async (name: string): Promise<CertificateAndKey> => {
  const keys = await newKeys();
  const cert = await X509CertificateGenerator.createSelfSigned({
    ...validFor(AUTHORITY_DAYS),
    name: [{ CN: [name] }],
    serialNumber: newSerial(),
    signingAlgorithm: SIGNATURE,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: cert.toString('pem'), key: await pemOf(keys.privateKey) };
};

/** Creates a key and a certificate for a server (P-256, 5 years) that the authority signs. */
export const createServerCertificate = async (
  authority: CertificateAndKey,
  names: readonly string[],
): Promise<CertificateAndKey> => {
  const keys = await newKeys();
  const issuer = new X509Certificate(authority.cert);
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(names.map(value => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
    await SubjectKeyIdentifierExtension.create(keys.publicKey),
    await AuthorityKeyIdentifierExtension.create(issuer),
  ];
  const cert = await X509CertificateGenerator.create({
    ...validFor(SERVER_DAYS),
    subject: [{ CN: [names[0] ?? 'server'] }],
    issuer: issuer.subject,
    serialNumber: newSerial(),
    signingAlgorithm: SIGNATURE,
    publicKey: keys.publicKey,
    signingKey: await keyFrom(authority.key),
    extensions,
  });
  return { cert: cert.toString('pem'), key: await pemOf(keys.privateKey) };
};

const newKeys = () => webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);

const validFor = (days: number) => {
  const now = Date.now();
  return { notBefore: new Date(now - BACKDATED_MS), notAfter: new Date(now + days * DAY_MS) };
};

/** Positive, as RFC 5280 requires. */
const newSerial = (): string => `01${randomBytes(15).toString('hex')}`;

const pemOf = async (key: webcrypto.CryptoKey): Promise<string> => {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
};

const keyFrom = (pem: string): Promise<webcrypto.CryptoKey> => {
  const bytes = Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  return webcrypto.subtle.importKey('pkcs8', bytes, CURVE, false, ['sign']);
};
