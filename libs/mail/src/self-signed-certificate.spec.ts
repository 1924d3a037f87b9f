import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { selfSignedCertificate } from './self-signed-certificate.js';

describe('A self-signed certificate', () => {
  it.each(['bounces.example.com', 'bounces.bücher.example', `${'long-label.'.repeat(20)}example.com`])(
    'for %s is signed with its own key and names the domain',
    domain => {
      const { cert, key } = selfSignedCertificate(domain);
      const certificate = new X509Certificate(cert);
      expect(certificate.verify(certificate.publicKey)).toBe(true);
      expect(certificate.checkHost(new URL(`http://${domain}`).hostname)).toBeDefined();
      expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now());
      expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now() + 365 * 86_400_000);
      expect(() => createSecureContext({ cert, key })).not.toThrow();
    },
  );

  it('is never the same twice', () => {
    const [one, other] = [selfSignedCertificate('a.test'), selfSignedCertificate('a.test')];
    expect(one.key).not.toBe(other.key);
    expect(new X509Certificate(one.cert).serialNumber).not.toBe(new X509Certificate(other.cert).serialNumber);
  });
});
