import { describe, expect, it } from '@jest/globals';
import { Secret } from 'otpauth';
import { hashOfRecoveryCode, newRecoveryCodes, newSecret, stepOf, uriOf } from './second-factor-secret.js';

/** The key of the test vectors of RFC 6238, appendix B. The tests use the last six digits of each code. */
const RFC_SECRET = new Secret({ buffer: new TextEncoder().encode('12345678901234567890').buffer as ArrayBuffer })
  .base32;
const at = (seconds: number) => new Date(seconds * 1_000);

describe('a code of an authenticator', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ])('at %i seconds is %s (RFC 6238)', (seconds, code) =>
    expect(stepOf(RFC_SECRET, code, at(seconds))).toBe(Math.floor(seconds / 30)),
  );

  it('is accepted in the periods before and after its own, with the number of its own', () => {
    for (const seconds of [29, 59, 89]) expect(stepOf(RFC_SECRET, '287082', at(seconds))).toBe(1);
    for (const seconds of [90, 3_600]) expect(stepOf(RFC_SECRET, '287082', at(seconds))).toBeUndefined();
  });

  it('can contain spaces, and must have six digits', () => {
    expect(stepOf(RFC_SECRET, '287 082', at(59))).toBe(1);
    for (const code of ['28708', '2870822', '28708a', '']) expect(stepOf(RFC_SECRET, code, at(59))).toBeUndefined();
  });
});

describe('a secret', () => {
  it('has 160 random bits and a URI with issuer and account', () => {
    const secret = newSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(newSecret()).not.toBe(secret);
    expect(uriOf(secret, 'ada@example.com')).toMatch(
      /^otpauth:\/\/totp\/Postern:ada%40example\.com\?issuer=Postern&secret=/,
    );
  });
});

describe('recovery codes', () => {
  it('are ten different codes of 120 bits, accepted in any spelling', () => {
    const { codes, hashes } = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([a-z2-7]{4}-){5}[a-z2-7]{4}$/);
    expect(codes.map(code => hashOfRecoveryCode(` ${code.toUpperCase().replaceAll('-', ' ')}`))).toEqual(hashes);
  });
});
