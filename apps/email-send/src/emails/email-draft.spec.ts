import { describe, expect, it } from '@jest/globals';
import { draftEmail, type EmailRequestBody } from './email-draft.js';

const refusing = (changes: Partial<EmailRequestBody>) => {
  try {
    draftEmail({ ...body, ...changes });
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('a message that cannot be sent is refused, and the refusal names the field:', () => {
  it.each<[string, Partial<EmailRequestBody>, RegExp]>([
    ['no recipients', { to: [] }, /^to: at least one recipient/],
    ['recipients only in cc', { to: [], cc: ['ada@x.io'] }, /^to: at least one recipient/],
    [
      'neither message nor text',
      { message: undefined, text: undefined },
      /^message: an HTML body .* or a plain-text body .* is required/,
    ],
    ['both bodies empty', { message: '', text: '' }, /^message: an HTML body .* or a plain-text body .* is required/],
    ['an empty from', { from: '  ' }, /^from: /],
    ['a malformed from', { from: 'nobody' }, /^from: malformed address "nobody"/],
    ['a malformed recipient', { to: ['ada@x.io', 'bob@'] }, /^to\[1\]: malformed address "bob@"/],
    ['a malformed cc', { cc: ['@x.io'] }, /^cc\[0\]: malformed/],
    ['a malformed bcc', { bcc: ['a b@x.io'] }, /^bcc\[0\]: malformed/],
    ['a malformed reply_to', { reply_to: ['x'] }, /^reply_to\[0\]: malformed/],
    ['two addresses in one entry', { to: ['ada@x.io, bob@x.io'] }, /^to\[0\]: .*more than one/],
    ['a line break in an address', { to: ['ada@x.io\r\nBcc: eve@x.io'] }, /^to\[0\]: .*line break/],
    ['a NUL in an address', { to: ['ada\0@x.io'] }, /^to\[0\]: .*control character/],
    ['51 recipients', { to: addresses(20), cc: addresses(20), bcc: addresses(11) }, /at most 50 recipients.*got 51/],
    ['a subject of 999 characters', { subject: 'x'.repeat(999) }, /^subject: at most 998/],
    ['a line break in the subject', { subject: 'Hello\nX-Evil: 1' }, /^subject: line breaks/],
    ['a Unicode line separator in the subject', { subject: 'Hello\u2028there' }, /^subject: line breaks/],
    ['a control character in the subject', { subject: 'Hello\u0007' }, /^subject: control characters/],
    ['a lone surrogate in the subject', { subject: 'Hello \ud83d' }, /^subject: .*Unicode/],
    ['a NUL in the text', { text: 'a\0b' }, /^text: .*NUL/],
    ['a lone surrogate in the HTML', { message: '<p>\udc00</p>' }, /^message: .*Unicode/],
    ['a reserved header', { headers: { 'DKIM-Signature': 'v=1' } }, /^headers\.DKIM-Signature: /],
    ['another reserved header', { headers: { bcc: 'eve@x.io' } }, /^headers\.bcc: /],
    ['the header of the copy id', { headers: { 'x-postern-id': '1' } }, /^headers\.x-postern-id: .*reserved/],
    ['a header that is not X-', { headers: { 'List-Id': 'a' } }, /^headers\.List-Id: only|^headers\.List-Id: /],
    ['a header name with a blank', { headers: { 'X-A B': 'a' } }, /^headers\.X-A B: a name is/],
    ['a header name that is too long', { headers: { [`X-${'a'.repeat(71)}`]: 'a' } }, /a name is X-/],
    ['a line break in a header', { headers: { 'X-Foo': 'a\r\nTo: eve@x.io' } }, /^headers\.X-Foo: line breaks/],
    ['a header of 999 characters', { headers: { 'X-Foo': 'a'.repeat(999) } }, /^headers\.X-Foo: at most 998/],
    ['one header twice', { headers: { 'X-Foo': 'a', 'x-foo': 'b' } }, /^headers\.x-foo: .*twice/],
    ['51 headers', { headers: manyHeaders(51) }, /^headers: at most 50/],
  ])('%s', (_, changes, message) =>
    expect(refusing(changes)).toMatchObject({ code: 'invalid_email', message: expect.stringMatching(message) }),
  );
});

describe('a message that can be sent', () => {
  it('may have a subject of 998 emoji', () =>
    expect(draftEmail({ ...body, subject: '🎉'.repeat(998) }).subject).toHaveLength(2 * 998));

  it('may have 50 recipients, 50 headers and a subject of 998 characters', () =>
    expect(
      draftEmail({ ...body, to: addresses(50), headers: manyHeaders(50), subject: 'ü'.repeat(998) }).recipients,
    ).toHaveLength(50));

  it('reaches an address named twice once, under the first role that names it', () =>
    expect(
      draftEmail({ ...body, to: ['Ada <ada@x.io>', 'ADA@X.io'], cc: ['ada@x.io', 'bob@x.io'], bcc: ['bob@x.io'] })
        .recipients,
    ).toEqual([
      { index: 0, address: 'ada@x.io', role: 'to' },
      { index: 1, address: 'bob@x.io', role: 'cc' },
    ]));

  it('keeps display names of any script and writes international domains in A-labels', () =>
    expect(draftEmail({ ...body, to: ['Łukasz Żak <l@bücher.example>'] }).to).toMatchObject([
      { name: 'Łukasz Żak', address: 'l@xn--bcher-kva.example' },
    ]));

  it('returns the first field with an address that needs SMTPUTF8', () =>
    expect(draftEmail({ ...body, cc: ['ok@x.io', 'jürgen@x.io'] }).needsSmtpUtf8At).toBe('cc[1]'));

  it('treats an empty HTML body beside a text as absent', () =>
    expect(draftEmail({ ...body, message: '', text: 'Hi' })).not.toHaveProperty('html'));
});

const body: EmailRequestBody = {
  from: 'Shop <shop@example.com>',
  to: ['ada@x.io'],
  cc: [],
  bcc: [],
  subject: 'Hello',
  message: '<p>Hello</p>',
  headers: {},
};

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `user${index}@x.io`);
}

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-H${index}`, 'v']));
}
