import { describe, expect, it } from '@jest/globals';
import { inSomeCase, legalAddresses } from '@postern/testing/legal-addresses';
import fc from 'fast-check';
import { asciiTracesOf, formsOf } from './address-forms.js';
import { idRedactor, redactor } from './redaction.js';

const REPLACEMENT = 'erased@erased.invalid';
const redact = redactor({ address: 'ada@x.test', replacement: REPLACEMENT });
const foldAscii = (text: string) => text.replaceAll(/[A-Z]/g, letter => letter.toLowerCase());

describe('A redaction', () => {
  it('finds the address in any case and anywhere in a text', () => {
    expect(redact({ answer: '550 <Ada@X.test>: unknown; ask ada@x.test.' })).toEqual({
      answer: '550 <erased@erased.invalid>: unknown; ask erased@erased.invalid.',
    });
  });

  it.each(['hada@x.test', 'ada@x.test.example', 'ada@x.tests', 'tag+ada@x.test', 'ada@x-test', 'éada@x.test'])(
    'treats %s as another address',
    other => {
      expect(redact({ to: other })).toBeUndefined();
      expect(redact({ answer: `550 <${other}>: unknown` })).toBeUndefined();
    },
  );

  it.each(["o'ada@x.test", 'to=ada@x.test', 'a/ada@x.test'])('does not match %s if it is the whole field', other =>
    expect(redact({ to: other })).toBeUndefined(),
  );

  it('empties personal fields of an object that concerns only this person', () => {
    const opened = { to: 'ada@x.test', subject: 'Your results', data: { ip: '192.0.2.1', user_agent: 'Mail' } };
    expect(redact(opened)).toEqual({ to: 'erased@erased.invalid', subject: '', data: { ip: '', user_agent: '' } });
    expect(redact({ recipients: [{ address: 'ada@x.test' }], subject: 'Your results' })).toMatchObject({ subject: '' });
  });

  it('keeps personal fields that concern others until the last recipient is erased', () => {
    const accepted = { subject: 'Minutes', recipients: [{ address: 'ada@x.test' }, { address: 'bob@x.test' }] };
    const once = redact(accepted);
    expect(once).toEqual({
      subject: 'Minutes',
      recipients: [{ address: 'erased@erased.invalid' }, { address: 'bob@x.test' }],
    });
    const other = redactor({ address: 'bob@x.test', replacement: 'erased-2@erased.invalid' });
    expect(other(once)).toMatchObject({ subject: '' });
  });

  it('treats pattern characters in an address literally', () => {
    const odd = redactor({ address: 'a+b.c$@x.test', replacement: 'erased@erased.invalid' });
    expect(odd({ to: 'a+b.c$@x.test' })).toEqual({ to: 'erased@erased.invalid' });
    expect(odd({ to: 'aab_c$@x.test' })).toBeUndefined();
  });

  it('finds all notations of an international domain, a quoted local part and an ORCPT', () => {
    const erase = redactor({ address: 'ada+tag@bücher.example', replacement: REPLACEMENT });
    for (const form of ['ada+tag@xn--bcher-kva.example', '"ada+tag"@Bücher.example', 'ada+2Btag@xn--bcher-kva.example'])
      expect(erase({ answer: `rfc822; ${form}` })).toEqual({ answer: `rfc822; ${REPLACEMENT}` });
  });
});

it.each(['mary-jane@example.net', 'ada@my-shop.de', 'ada@xn--bcher-kva.example'])('%s can be erased', address => {
  const erase = redactor({ address, replacement: 'erased@erased.invalid' });
  expect(erase({ to: address })).toEqual({ to: 'erased@erased.invalid' });
});

const AROUND = [
  ['<', '>'],
  ['550 5.1.1 <', '>: unknown user'],
  ["mail to '", "' was refused"],
  ['to=', ', relay=mx'],
  ['rfc822;', ''],
  ['mailto:', '?subject=x'],
  ['(', ')'],
  ['“', '”'],
  ['we asked ', '.'],
] as const;

describe('A redaction of any valid address', () => {
  const addresses = legalAddresses().chain(address => fc.tuple(fc.constant(address), inSomeCase(address)));

  it('erases a field that contains it, in any case', () =>
    fc.assert(
      fc.property(addresses, ([address, written]) => {
        const erase = redactor({ address, replacement: REPLACEMENT });
        expect(erase({ to: written, tags: [written] })).toEqual({ to: REPLACEMENT, tags: [REPLACEMENT] });
      }),
    ));

  it('erases it from running text', () =>
    fc.assert(
      fc.property(addresses, fc.constantFrom(...AROUND), ([address, written], [before, after]) => {
        const erase = redactor({ address, replacement: REPLACEMENT });
        expect(erase({ reason: before + written + after })).toEqual({ reason: before + REPLACEMENT + after });
      }),
    ));

  it('keeps every other address', () =>
    fc.assert(
      fc.property(legalAddresses(), legalAddresses(), (address, other) => {
        const folded = new Set(formsOf(address).map(form => form.toUpperCase().toLowerCase()));
        fc.pre(!formsOf(other).some(form => folded.has(form.toUpperCase().toLowerCase())));
        expect(redactor({ address, replacement: REPLACEMENT })({ to: other })).toBeUndefined();
      }),
    ));

  it('keeps an address with one additional character', () =>
    fc.assert(
      fc.property(
        legalAddresses().filter(address => !address.startsWith('"') && !address.endsWith(']')),
        address => {
          const erase = redactor({ address, replacement: REPLACEMENT });
          for (const other of [`x${address}`, `-${address}`, `'${address}`, `${address}x`, `${address}.example`])
            expect(erase({ to: other })).toBeUndefined();
        },
      ),
    ));

  it('erases it from the id of a stream that ends with it, and from no other id', () =>
    fc.assert(
      fc.property(addresses, fc.uuid(), ([address, written], id) => {
        const erase = idRedactor({ address, replacement: REPLACEMENT });
        expect(erase(`suppression-${id}-${written}`)).toBe(`suppression-${id}-${REPLACEMENT}`);
        expect(erase(`suppression-${id}-x-${written}`)).toBeUndefined();
        expect(erase(`email-${id}`)).toBeUndefined();
      }),
    ));

  it('has a trace in any JSON that contains it, so that a database can find it', () =>
    fc.assert(
      fc.property(addresses, ([address, written]) => {
        for (const form of [written, ...formsOf(address)]) {
          const json = foldAscii(JSON.stringify({ to: form }));
          expect(asciiTracesOf(address).some(trace => json.includes(trace))).toBe(true);
        }
      }),
    ));
});
