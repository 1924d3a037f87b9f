import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeBase32, encodeBase32, TrackingTokens } from './signed-token.js';

const oldSecret = 'an old secret of at least 32 bytes';
const newSecret = 'a new secret of at least 32 bytes!';
const tokens = TrackingTokens.fromSecrets([newSecret, oldSecret]);
const emailId = '0198c0de-0000-7000-8000-00000000abcd';
const url = 'https://example.com/reset?token=s3cret&x=ü#frag';

describe('a tracking token', () => {
  const email = fc.uuid();
  const index = fc.integer({ min: 0, max: 0xffff });

  it('decodes to its original content', () => {
    const link = fc
      .tuple(fc.domain(), fc.string({ unit: 'grapheme' }))
      .map(([host, rest]) => `https://${host}/${rest}`);
    fc.assert(
      fc.property(email, index, link, (id, at, target) => {
        const recipient = { emailId: id, recipientIndex: at };
        expect(tokens.readReturnPathToken(tokens.returnPathToken(id, at))).toEqual(recipient);
        expect(tokens.readOpenToken(tokens.openToken(id, at))).toEqual(recipient);
        expect(tokens.readClickToken(tokens.clickToken(id, at, target))).toEqual({ ...recipient, url: target });
      }),
    );
  });

  it('fits into a local part, in letters whose case does not matter', () => {
    fc.assert(
      fc.property(email, index, (id, at) => {
        const localPart = tokens.returnPathToken(id, at);
        expect(localPart).toMatch(/^b\+[a-z2-7]{48}$/);
        expect(tokens.readReturnPathToken(localPart.toUpperCase())).toEqual({ emailId: id, recipientIndex: at });
      }),
    );
  });

  it('is invalid once a single character is changed, added or missing', () => {
    const made = [
      [tokens.returnPathToken(emailId, 3), (token: string) => tokens.readReturnPathToken(token)],
      [tokens.openToken(emailId, 3), (token: string) => tokens.readOpenToken(token)],
      [tokens.copyId(emailId, 3), (token: string) => tokens.readCopyId(token)],
      [tokens.copyId(emailId), (token: string) => tokens.readCopyId(token)],
      [tokens.clickToken(emailId, 3, url), (token: string) => tokens.readClickToken(token)],
    ] as const;
    for (const [token, read] of made) {
      for (let at = 0; at < token.length; at++) {
        const other = token[at] === 'c' ? 'd' : 'c';
        expect(read(token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
      }
      expect(read(token.slice(0, -1))).toBeUndefined();
      expect(read(`${token}a`)).toBeUndefined();
    }
  });

  it('names one copy, or every copy of a message, in a header and in its Message-ID', () => {
    fc.assert(
      fc.property(email, fc.option(fc.integer({ min: 0, max: 0xfffe }), { nil: undefined }), (id, at) => {
        const copyId = tokens.copyId(id, at);
        expect(`X-Postern-Id: ${copyId}`.length).toBeLessThan(83);
        expect(tokens.readCopyId(copyId.toUpperCase())).toEqual({ emailId: id, recipientIndex: at });
      }),
    );
    const [id, index, signature] = tokens.copyId(emailId, 1).split('.');
    expect(tokens.readCopyId(`${id}.2.${signature}`)).toBeUndefined();
    expect(tokens.readCopyId(`${id}.${signature}`)).toBeUndefined();
    expect(tokens.readCopyId(`${id}.0${index}.${signature}`)).toBeUndefined();
    expect(tokens.readCopyId(`${id}.65535.${tokens.copyId(emailId).split('.')[1]}`)).toBeUndefined();
  });

  it('reads as undefined for any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.nat(0x10ffff).map(String.fromCodePoint) }), text => {
        expect(tokens.readReturnPathToken(text)).toBeUndefined();
        expect(tokens.readReturnPathToken(`b+${text}`)).toBeUndefined();
        expect(tokens.readOpenToken(text)).toBeUndefined();
        expect(tokens.readClickToken(text)).toBeUndefined();
      }),
    );
    expect(tokens.readClickToken('A'.repeat(1_000_000))).toBeUndefined();
  });

  it('names the mailbox that refuses codes, only if its signature is valid', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), hash => {
        const token = tokens.optOutToken(Buffer.from(hash));
        expect(token).toMatch(/^[\w-]{64}$/);
        expect(tokens.readOptOutToken(token)).toEqual(Buffer.from(hash));
        expect(TrackingTokens.fromSecrets([oldSecret]).readOptOutToken(token)).toBeUndefined();
        expect(tokens.readOptOutToken(`${token}A`)).toBeUndefined();
      }),
    );
    expect(tokens.readOptOutToken('A'.repeat(64))).toBeUndefined();
    expect(() => tokens.optOutToken(Buffer.alloc(31))).toThrow(RangeError);
  });

  it('serves one purpose only', () => {
    const open = Buffer.from(tokens.openToken(emailId, 1), 'base64url');
    const forged = `b+${encodeBase32(open.subarray(0, 30))}`;
    expect(tokens.readReturnPathToken(forged)).toBeUndefined();
    expect(tokens.readOpenToken(tokens.clickToken(emailId, 1, url))).toBeUndefined();
  });

  it('stays valid during a rotation of secrets until its own secret is removed', () => {
    const before = TrackingTokens.fromSecrets([oldSecret]);
    expect(tokens.readClickToken(before.clickToken(emailId, 0, url))?.url).toBe(url);
    expect(tokens.readOpenToken(before.openToken(emailId, 0))).toEqual({ emailId, recipientIndex: 0 });
    expect(before.readOpenToken(tokens.openToken(emailId, 0))).toBeUndefined();
  });

  it('does not disclose the target of a link, and is deterministic', () => {
    const token = tokens.clickToken(emailId, 0, url);
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('example.com');
    expect(tokens.clickToken(emailId, 0, url)).toBe(token);
    expect(tokens.clickToken(emailId, 1, url).slice(0, 16)).not.toBe(token.slice(0, 16));
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', '//example.com', 'mailto:a@b.io', 'https://'])(
    'is never created for %s',
    target => {
      expect(() => tokens.clickToken(emailId, 0, target)).toThrow(RangeError);
    },
  );

  it('requires a secret of sufficient length, and a valid message and recipient', () => {
    expect(() => TrackingTokens.fromSecrets([])).toThrow(RangeError);
    expect(() => TrackingTokens.fromSecrets(['short'])).toThrow(RangeError);
    expect(() => tokens.openToken('no uuid', 0)).toThrow(RangeError);
    expect(() => tokens.openToken(emailId, 65_536)).toThrow(RangeError);
  });
});

describe('base32', () => {
  it('is the base32 of RFC 4648 §10, in lower case', () => {
    expect(['f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map(text => encodeBase32(Buffer.from(text)))).toEqual([
      'my',
      'mzxq',
      'mzxw6',
      'mzxw6yq',
      'mzxw6ytb',
      'mzxw6ytboi',
    ]);
  });

  it('decodes any encoded bytes, and only its own encoding', () => {
    fc.assert(
      fc.property(fc.uint8Array(), bytes => expect(decodeBase32(encodeBase32(bytes))).toEqual(Buffer.from(bytes))),
    );
    expect([decodeBase32('mz'), decodeBase32('M'), decodeBase32('m1')]).toEqual([undefined, undefined, undefined]);
  });
});
