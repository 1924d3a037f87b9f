import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { selfSignedCertificate } from '@postern/mail';
import { certificateOf } from './certificate.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-certificate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bounceDomain = 'bounces.test';
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

describe('The certificate of the bounce listener', () => {
  const own = selfSignedCertificate(bounceDomain);
  const bounceTlsCertFile = file('cert.pem', own.cert);
  const bounceTlsKeyFile = file('key.pem', own.key);

  it('is the configured certificate', () =>
    expect(certificateOf({ bounceDomain, bounceTlsCertFile, bounceTlsKeyFile })).toEqual(own));

  it('is generated if none is configured', () =>
    expect(certificateOf({ bounceDomain }).cert).toMatch(/^-----BEGIN CERTIFICATE-----/));

  it('is refused without its key, or with the key of another certificate', () => {
    expect(() => certificateOf({ bounceDomain, bounceTlsCertFile })).toThrow(
      'POSTERN_BOUNCE_TLS_KEY_FILE; one of them is missing',
    );
    const foreign = file('foreign.pem', selfSignedCertificate(bounceDomain).key);
    expect(() => certificateOf({ bounceDomain, bounceTlsCertFile, bounceTlsKeyFile: foreign })).toThrow(
      /cert\.pem and .*foreign\.pem are not a certificate and its key: .*key values mismatch/,
    );
  });
});
