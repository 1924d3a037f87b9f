import { describe, expect, it } from '@jest/globals';
import { asTemporarilyUnavailable, mayHaveCommitted } from './temporary-faults.js';

const failed = (code: string) => Object.assign(new Error('failed'), { code });

describe('a transaction that failed', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', '23505', '40001', '53100', '42P01'])('with %s is not committed', code =>
    expect(mayHaveCommitted(failed(code))).toBe(false),
  );

  it.each(['ECONNRESET', 'EPIPE', '08006', '40003', '57P01', '58030', 'XX000', ''])(
    'with "%s" may be committed',
    code => expect(mayHaveCommitted(failed(code))).toBe(true),
  );

  it('without an error code may be committed', () => {
    expect(mayHaveCommitted(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(mayHaveCommitted(undefined)).toBe(true);
  });
});

describe('an error of the infrastructure', () => {
  it.each(['08006', '53100', '57P03', '58000', '58030', 'ECONNRESET'])('with %s is temporary', code =>
    expect(asTemporarilyUnavailable(failed(code))).toBeDefined(),
  );

  it.each(['23505', '42P01', 'PS001'])('with %s is not temporary', code =>
    expect(asTemporarilyUnavailable(failed(code))).toBeUndefined(),
  );
});
