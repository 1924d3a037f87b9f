import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { domainToASCII } from 'node:url';

/** A certificate and its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const TAG = {
  integer: 0x02,
  bits: 0x03,
  bytes: 0x04,
  oid: 0x06,
  text: 0x0c,
  shortTime: 0x17,
  longTime: 0x18,
  sequence: 0x30,
  set: 0x31,
};
const SUBJECT_NAMES = Buffer.from('0603551d11', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const DAY_MS = 86_400_000;

const lengthOf = (length: number): Buffer => {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
};

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
};

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(TAG.sequence, ...parts);

/** UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). */
const time = (at: number): Buffer => {
  const digits = `${new Date(at).toISOString().replaceAll(/\D/g, '').slice(0, 14)}Z`;
  return digits < '2050' ? der(TAG.shortTime, Buffer.from(digits.slice(2))) : der(TAG.longTime, Buffer.from(digits));
};

/**
 * Creates a self-signed certificate with a new key. Mail systems accept any certificate for STARTTLS, so it protects
 * against passive eavesdropping. Node.js has no API for certificates, so the DER encoding is here.
 */
export const selfSignedCertificate = (domain: string): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(TAG.set, sequence(COMMON_NAME, der(TAG.text, Buffer.from('Postern bounce listener')))));
  const host = der(0x82, Buffer.from(domainToASCII(domain) || domain));
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const now = Date.now();
  const body = sequence(
    der(0xa0, der(TAG.integer, Buffer.of(2))),
    // DER requires a positive serial number without a leading zero byte.
    der(TAG.integer, Buffer.of(0x40), randomBytes(15)),
    algorithm,
    name,
    sequence(time(now - DAY_MS), time(now + 3_650 * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(SUBJECT_NAMES, der(TAG.bytes, sequence(host))))),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, algorithm, der(TAG.bits, Buffer.of(0), signature));
  const lines = certificate.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};
