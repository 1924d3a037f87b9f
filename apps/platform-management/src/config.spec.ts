import { describe, expect, it } from '@jest/globals';
import { config, firstOperatorOf } from './config.js';

const EMAIL = { POSTERN_OPERATOR_EMAIL: 'Owner@example.com' };
const PASSWORD = { POSTERN_OPERATOR_PASSWORD: 'twelve chars' };
const ENCRYPTION_KEYS = `test:${'A'.repeat(43)}=`;
const configured = (environment: Record<string, string>) =>
  firstOperatorOf(
    config.read({
      POSTERN_DATABASE_URL: 'postgres://127.0.0.1/postern',
      POSTERN_ENCRYPTION_KEYS: ENCRYPTION_KEYS,
      ...environment,
    }),
  );

describe('the configuration of the first operator', () => {
  it('is an email address and a password', () =>
    expect(configured({ ...EMAIL, ...PASSWORD })).toEqual({ email: 'Owner@example.com', password: 'twelve chars' }));

  it('is optional', () => expect(configured({})).toBeUndefined());

  it.each([EMAIL, PASSWORD])('is refused with only one of the two settings: %j', half =>
    expect(() => configured(half)).toThrow('go together'),
  );

  it('requires a valid email address', () =>
    expect(() => configured({ POSTERN_OPERATOR_EMAIL: 'owner', ...PASSWORD })).toThrow(
      'must be a valid email address',
    ));

  it('requires a password of at least twelve characters', () =>
    expect(() => configured({ ...EMAIL, POSTERN_OPERATOR_PASSWORD: 'eleven char' })).toThrow('at least 12 characters'));
});
