import { createHash, randomBytes } from 'node:crypto';
import { RECOVERY_CODES } from '@postern/contracts';
import { Secret, TOTP } from 'otpauth';

const PERIOD_S = 30;
/** Codes of the previous and the next period are also accepted, because clocks differ (RFC 6238 §5.2). */
const WINDOW = 1;
const SECRET_BYTES = 20;
/** 120 bits, so that a fast hash suffices. */
const RECOVERY_BYTES = 15;
const DIGITS = /^\d{6}$/;

/** The row that the ciphertext of a secret is bound to. */
export const sealedSecretRow = (userId: string): string => `second_factors/${userId}`;

/** A new secret, in base32. */
export const newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The `otpauth:` URI that authenticators read. */
export const uriOf = (secret: string, email: string): string => totpOf(secret, email).toString();

/** The number of the period of the code; undefined for a wrong code. */
export const stepOf = (secret: string, code: string, now: Date): number | undefined => {
  const token = code.replace(/\s/g, '');
  if (!DIGITS.test(token)) return undefined;
  const delta = totpOf(secret, '').validate({ token, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? undefined : Math.floor(now.getTime() / 1_000 / PERIOD_S) + delta;
};

/** Generates recovery codes in groups of four characters, and their hashes for storage. */
export const newRecoveryCodes = (): { readonly codes: readonly string[]; readonly hashes: readonly string[] } => {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    const text = new Secret({ buffer: Uint8Array.from(randomBytes(RECOVERY_BYTES)).buffer }).base32.toLowerCase();
    return text.replace(/(.{4})(?=.)/g, '$1-');
  });
  return { codes, hashes: codes.map(hashOfRecoveryCode) };
};

/** The hash of a recovery code in any spelling. */
export const hashOfRecoveryCode = (code: string): string =>
  createHash('sha256')
    .update(code.toLowerCase().replace(/[^a-z2-7]/g, ''))
    .digest('hex');

/** SHA-1 with six digits, which is all that common authenticators support. */
const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({
    issuer: 'Postern',
    label,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_S,
  });
