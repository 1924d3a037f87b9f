import { describe, expect, it } from '@jest/globals';
import { sendEmailBody } from '@postern/contracts';
import fc from 'fast-check';
import { canonicalMessage } from './idempotency.js';

const canonical = (json: string) => canonicalMessage(sendEmailBody.parse(JSON.parse(json)));

const message = fc.record(
  {
    from: fc.string(),
    to: fc.array(fc.string(), { maxLength: 3 }),
    cc: fc.array(fc.string(), { maxLength: 2 }),
    reply_to: fc.array(fc.string(), { maxLength: 2 }),
    subject: fc.string(),
    message: fc.string(),
    text: fc.string(),
    headers: fc.dictionary(
      fc.string({ minLength: 1 }).filter(name => name !== '__proto__'),
      fc.string(),
      {
        maxKeys: 4,
      },
    ),
  },
  { requiredKeys: ['from', 'to', 'subject'] },
);

const reordered = (value: object): object =>
  Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, key === 'headers' ? reordered(inner as object) : inner]),
  );

describe('a message as a canonical text', () => {
  it('is the same for any order of keys and any white space', () =>
    fc.assert(
      fc.property(message, value => {
        expect(canonical(JSON.stringify(reordered(value), null, 2))).toBe(canonical(JSON.stringify(value)));
      }),
    ));

  it('differs for different values', () =>
    fc.assert(
      fc.property(message, fc.constantFrom('from', 'subject', 'text'), fc.string(), (value, field, other) => {
        fc.pre(value[field as 'from'] !== other);
        expect(canonical(JSON.stringify({ ...value, [field]: other }))).not.toBe(canonical(JSON.stringify(value)));
      }),
    ));

  it('distinguishes an absent part from an empty one, and one list of recipients from another', () => {
    const base = { from: 'a', to: ['b', 'c'], subject: 's' };
    const all = [base, { ...base, text: '' }, { ...base, message: '' }, { ...base, to: ['b'], cc: ['c'] }];
    expect(new Set(all.map(value => canonical(JSON.stringify(value)))).size).toBe(all.length);
  });
});
