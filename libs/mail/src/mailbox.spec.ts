import { describe, expect, it } from '@jest/globals';
import { inSomeCase, legalAddresses } from '@postern/testing/legal-addresses';
import fc from 'fast-check';
import { addressParser } from 'postal-mime';
import { addressKey, MailboxError, mailboxListLine, parseMailbox } from './mailbox.js';

const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/gu;

describe('a mailbox', () => {
  it.each([
    ['ada@example.com', undefined, 'ada@example.com'],
    ['  ada@example.com ', undefined, 'ada@example.com'],
    ['<ada@example.com>', undefined, 'ada@example.com'],
    ['Ada <ada@example.com>', 'Ada', 'ada@example.com'],
    ['Ada King-Noel<ada@example.com>', 'Ada King-Noel', 'ada@example.com'],
    ['"King, Ada" <ada@example.com>', 'King, Ada', 'ada@example.com'],
    ['"a \\"b\\" \\\\ c" <ada@example.com>', 'a "b" \\ c', 'ada@example.com'],
    ['"<x@evil.example>" <ada@example.com>', '<x@evil.example>', 'ada@example.com'],
    ['J. R. "Bob" Dobbs <bob@example.com>', 'J. R. Bob Dobbs', 'bob@example.com'],
    ['Ада Лавлейс <ada@example.com>', 'Ада Лавлейс', 'ada@example.com'],
    ['愛　子 <ai@example.com>', '愛 子', 'ai@example.com'],
    ['"a b"@example.com', undefined, '"a b"@example.com'],
    ['"ada"@example.com', undefined, 'ada@example.com'],
    ['"" <ada@example.com>', undefined, 'ada@example.com'],
    ['Shop (EU) <ada@example.com>', 'Shop (EU)', 'ada@example.com'],
    ['Acme [Test] <ada@example.com>', 'Acme [Test]', 'ada@example.com'],
    ['Acme: Billing <ada@example.com>', 'Acme: Billing', 'ada@example.com'],
    ['ada@b.example <ada@example.com>', 'ada@b.example', 'ada@example.com'],
    ['King, Ada <ada@example.com>', 'King, Ada', 'ada@example.com'],
    ['Ada <home> King <ada@example.com>', 'Ada <home> King', 'ada@example.com'],
    ['5" Pizza <ada@example.com>', '5" Pizza', 'ada@example.com'],
    ['=?UTF-8?B?0JDQtNCw?= <ada@example.com>', 'Ада', 'ada@example.com'],
    ['"=?UTF-8?Q?Ada_K=C3=B6nig?=" <ada@example.com>', 'Ada König', 'ada@example.com'],
    ['=?iso-8859-1?Q?J=F6rg?= Ada <ada@example.com>', 'Jörg Ada', 'ada@example.com'],
    ['=?UTF-8?B?0JDQ?= =?UTF-8?B?tNCw?= <ada@example.com>', 'Ада', 'ada@example.com'],
    ['=?nonsense <ada@example.com>', '=?nonsense', 'ada@example.com'],
    ["o'hara+tag/x=y@EXAMPLE.com", undefined, "o'hara+tag/x=y@example.com"],
    ['Ada@bücher.example', undefined, 'Ada@xn--bcher-kva.example'],
    ['Ada@BÜCHER。example', undefined, 'Ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', undefined, 'ada@xn--bcher-kva.example'],
  ])('is read from %s', (text, name, address) => {
    const mailbox = parseMailbox(text);
    expect([mailbox.name, mailbox.address]).toEqual([name, address]);
    expect(`${mailbox.localPart}@${mailbox.domain}`).toBe(address);
  });

  it.each([
    ['', 'it is empty'],
    ['   ', 'it is empty'],
    ['ada', 'it has no "@"'],
    ['@example.com', 'there is nothing before "@"'],
    ['ada@', 'there is nothing after "@"'],
    ['ada@@example.com', 'it has more than one "@"'],
    ['ada@example.com\r\nBcc: eve@example.com', 'it contains a control character or a line break'],
    ['ada\n@example.com', 'it contains a control character or a line break'],
    ['Ada\u0000 <ada@example.com>', 'it contains a control character or a line break'],
    ['Ada\u2028 <ada@example.com>', 'it contains a control character or a line break'],
    ['Ada \ud800 <ada@example.com>', 'it contains a control character or a line break'],
    ['a@example.com, b@example.com', 'it contains more than one address; each address needs an entry of its own'],
    ['a@example.com;b@example.com', 'it contains more than one address; each address needs an entry of its own'],
    ['Ada <a@example.com>, b@example.com', 'it contains more than one address; each address needs an entry of its own'],
    [
      'Ada <a@example.com>, Bob <b@example.com>',
      'it contains more than one address; each address needs an entry of its own',
    ],
    [
      'Ada <a@example.com> Bob <b@example.com>',
      'it contains more than one address; each address needs an entry of its own',
    ],
    ['a@example.com, Bob <b@example.com>', 'it contains more than one address; each address needs an entry of its own'],
    [
      'Team: a@example.com, Bob <b@example.com>;',
      'it contains more than one address; each address needs an entry of its own',
    ],
    [
      'Team: a@example.com, Bob <b@example.com>',
      'it contains more than one address; each address needs an entry of its own',
    ],
    ['Ada \u202emoc.evil@ <a@example.com>', 'its name contains U+202E, which changes the direction of text'],
    ['=?UTF-8?B?4oCuYQ==?= <a@example.com>', 'its name contains U+202E, which changes the direction of text'],
    ['=?UTF-8?Q?a=0D=0ABcc:_b?= <a@example.com>', 'its name contains a control character or a line break'],
    ['Ada a@example.com>', 'the opening "<" is missing'],
    ['Team: a@example.com;', 'group syntax is not allowed'],
    ['undisclosed-recipients:;', 'group syntax is not allowed'],
    ['ada(home)@example.com', 'comments are not allowed'],
    ['ada@example.com (home)', 'comments are not allowed'],
    ['Ada <a@example.com> x', 'there is text after ">"'],
    ['Ada <a@example.com', 'the closing ">" is missing'],
    ['Ada <>', 'the address is empty'],
    ['Ada <@route.example:a@example.com>', 'there is nothing before "@"'],
    ['"Ada <a@example.com>', 'a quoted string is not closed'],
    ['"a<b"@example.com', 'angle brackets are not allowed before "@"'],
    ['.ada@example.com', 'a dot is misplaced before "@"'],
    ['a..b@example.com', 'a dot is misplaced before "@"'],
    ['..@docomo.ne.jp', 'a dot is misplaced before "@"'],
    ['a b@example.com', 'the part before "@" has a character that needs quotes'],
    ['ada@[192.0.2.1]', 'address literals are not allowed'],
    ['ada@192.0.2.1', 'the domain ends in a number'],
    ['ada@１９２.0.2.1', 'the domain ends in a number'],
    ['ada@localhost', 'the domain is not fully qualified'],
    ['ada@example.com.', 'a dot is misplaced in the domain'],
    ['ada@-example.com', 'the domain has an invalid label'],
    ['ada@exa_mple.com', 'the domain has a character that is not allowed'],
    ['ada@exam%70le.com', 'the domain has a character that is not allowed'],
    [`${'a'.repeat(65)}@example.com`, 'the part before "@" is longer than 64 octets'],
    [`${'é'.repeat(33)}@example.com`, 'the part before "@" is longer than 64 octets'],
    [`a@${'a'.repeat(64)}.com`, 'the domain has an invalid label'],
    [`a@${'abcdefg.'.repeat(32)}com`, 'the domain is longer than 255 octets'],
    [`${'a'.repeat(60)}@${'abcdefg.'.repeat(25)}com`, 'it is longer than 254 octets'],
  ])('is not read from %j', (text, reason) => {
    const refusal = catchError(() => parseMailbox(text));
    expect(refusal).toBeInstanceOf(MailboxError);
    expect((refusal as MailboxError).reason).toBe(reason);
  });

  it('names the address and the reason in its refusal', () => {
    expect(() => parseMailbox('nobody')).toThrow('malformed address "nobody": it has no "@"');
  });

  it('reports that the local part needs SMTPUTF8', () => {
    expect(parseMailbox('ада@example.com').needsSmtpUtf8).toBe(true);
    expect(parseMailbox('ada@почта.example').needsSmtpUtf8).toBe(false);
  });

  it('is refused or read completely for any input', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: fc.nat(0x10ffff).map(String.fromCodePoint) }),
          fc.string({ unit: fc.constantFrom(...'a@.<>",;:()\\ é\r\n') }),
        ),
        text => {
          try {
            const { address, name = '' } = parseMailbox(text);
            expect(address).not.toMatch(/[\p{Cc}<>]/u);
            expect(name).not.toMatch(/\p{Cc}/u);
            expect(Buffer.byteLength(address)).toBeLessThanOrEqual(254);
          } catch (error) {
            expect(error).toBeInstanceOf(MailboxError);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is unchanged after formatting and parsing, by Postern and by another parser', () => {
    const name = fc
      .string({
        unit: fc.oneof(
          fc.constantFrom(...' "\\,;:<>()=?.@'),
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
        ),
        maxLength: 80,
      })
      .map(text =>
        text
          .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
          .replace(BIDI_CONTROLS, '')
          .trim(),
      );
    fc.assert(
      fc.property(name, text => {
        const line = mailboxListLine('To', [{ name: text, address: 'ada@example.com' }]);
        const printed = line.replace('To: ', '').replaceAll('\r\n', '');
        expect(printed).toMatch(/^[\x20-\x7e]+$/);
        const [parsed] = addressParser(printed, { flatten: true });
        expect(parsed).toEqual({ name: text, address: 'ada@example.com' });
        expect(parseMailbox(printed).name ?? '').toBe(text);
      }),
    );
  });
});

describe('two addresses', () => {
  it('are the same in any letter case', () => {
    expect(sameAddress('Ada@Example.com', 'ada@example.COM')).toBe(true);
    expect(sameAddress('ADÉ@example.com', 'ade\u0301@example.com')).toBe(true);
    expect(sameAddress('ada@example.com', 'ada@example.org')).toBe(false);
    expect(addressKey('Ada@Example.com')).toBe('ada@example.com');
  });
});

const sameAddress = (one: string, other: string): boolean => addressKey(one) === addressKey(other);

function catchError(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the key of an address', () => {
  it.each([
    ['jörg-x@bücher-und-mehr.example', 'jörg-x@xn--bcher-und-mehr-gsb.example'],
    ['"ada"@example.com', 'Ada@example.com'],
    ['jo\u0308rg@example.com', 'JÖRG@example.com'],
  ])('is the same for %s and %s', (one, other) => expect(sameAddress(one, other)).toBe(true));

  it('is the same for every valid address as entered and as stored', () =>
    fc.assert(
      fc.property(
        legalAddresses().chain(address => inSomeCase(address)),
        written => {
          const kept = keptForm(written);
          fc.pre(kept !== undefined);
          expect(addressKey(written)).toBe(addressKey(kept as string));
        },
      ),
    ));

  it('differs for different stored addresses', () =>
    fc.assert(
      fc.property(legalAddresses(), address => {
        const kept = keptForm(address);
        fc.pre(kept !== undefined && !address.startsWith('"'));
        for (const other of [`x${address}`, `${address}x`, address.replace('@', '-@')])
          expect(sameAddress(kept as string, other)).toBe(false);
      }),
    ));
});

/** The address as returned by `parseMailbox`; undefined if it is refused. */
const keptForm = (text: string): string | undefined => {
  try {
    return parseMailbox(text).address;
  } catch (error) {
    if (error instanceof MailboxError) return undefined;
    throw error;
  }
};

describe('a dotted address of a mobile carrier in Japan', () => {
  it.each(['foo..bar@docomo.ne.jp', 'foo.@ezweb.ne.jp', '.foo@softbank.ne.jp'])('is quoted: %s', given => {
    const [localPart, domain] = given.split('@');
    expect(parseMailbox(given).address).toBe(`"${localPart}"@${domain}`);
    expect(parseMailbox(`Ada <${given}>`)).toMatchObject({ name: 'Ada', address: `"${localPart}"@${domain}` });
  });

  it('is not quoted if it needs no quotes', () =>
    expect(parseMailbox('foo.bar@docomo.ne.jp').address).toBe('foo.bar@docomo.ne.jp'));
});
