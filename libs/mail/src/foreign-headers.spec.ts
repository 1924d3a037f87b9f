/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */
import { describe, expect, it } from '@jest/globals';
import { readSubmittedMessage } from './submitted-message.js';
import { header, headerText, received, utf8 } from './testing/received-copy.js';

describe('the header of a message of another mail program', () => {
  it.each(['Organization', 'Thread-Topic', 'Comments', 'Keywords', 'X-Company'])(
    'encodes a raw 8-bit %s, so that its signature verifies',
    async name => {
      const body = [
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'x',
        '--b--',
      ];
      const { raw, dkim, parsed } = await received(utf8(`${name}: Société`, ...body));
      expect(raw).toMatch(/^[\x01-\x7f]*$/);
      expect(headerText(parsed, name)).toBe('Société');
      expect(dkim).toBe('pass');
    },
  );

  it('keeps headers of any number, length and name, repeated ones too', async () => {
    const many = Array.from({ length: 60 }, (_, n) => `X-MS-Exchange-H${n}: ${'value '.repeat(n)}v`);
    const { raw, dkim, parsed } = await received(
      utf8(...many, `X-Long: ${'x'.repeat(3_000)}`, 'X-Mailer_Id: 5', 'X-Foo.Bar: 1', 'X-Tag: a', 'X-Tag: b', '', 'x'),
    );
    expect(raw.match(/^X-MS-Exchange-H\d+:/gm)).toHaveLength(60);
    expect(raw).toMatch(/^X-Mailer_Id: 5\r\nX-Foo\.Bar: 1\r\nX-Tag: a\r\nX-Tag: b\r$/m);
    expect(headerText(parsed, 'X-Long')).toBe('x'.repeat(3_000));
    expect(Math.max(...raw.split('\r\n').map(line => line.length))).toBeLessThanOrEqual(998);
    expect(dkim).toBe('pass');
  });

  it.each([
    ['Feedback-ID', 'a:b:c:shop'],
    ['Sender', 'app@example.com'],
    ['List-Help', '<https://example.com/help>'],
    ['BIMI-Selector', 'v=BIMI1; s=brand'],
    ['In-Reply-To', '<earlier@app>'],
  ])('keeps and signs %s', async (name, value) => {
    const { raw, dkim } = await received(utf8(`${name}: ${value}`, '', 'x'));
    expect(header(raw, name)).toBe(value);
    expect(header(raw, 'DKIM-Signature')?.replace(/\s/g, '')).toContain(`:${name.toLowerCase()}:`);
    expect(dkim).toBe('pass');
  });

  it('does not name a Sender of another domain', async () =>
    expect(header((await received(utf8('Sender: ceo@bank.test', '', 'x'))).raw, 'Sender')).toBeUndefined());

  it('folds a long References', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `<aaaaaaaaaaaaaaaaaaaa${n}@b.example>`).join(' ');
    for (const body of [
      ['', 'x'],
      ['Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'x', '--b--'],
    ]) {
      const { raw } = await received(utf8(`References: ${ids}`, ...body));
      expect(header(raw, 'References')?.replace(/\r\n/g, '').trim()).toBe(ids);
      expect(Math.max(...raw.split('\r\n').map(line => line.length))).toBeLessThanOrEqual(998);
    }
  });

  it('shows a To without an Internet address as it is', async () => {
    const local = Buffer.from('From: root <orders@example.com>\nTo: root@localhost, Grace <grace@example.org>\n\nx\n');
    expect(header((await received(local)).raw, 'To')).toBe('root@localhost, Grace <grace@example.org>');
  });

  it('keeps a Reply-To that is no address, which is then refused', () =>
    expect(readSubmittedMessage(utf8('Reply-To: root', '', 'x')).replyTo).toEqual(['root']));

  it('has its subject decoded if a character is split between encoded words', () => {
    const subject = 'From: a@example.com\nSubject: =?UTF-8?B?4pyT4g==?=\n =?UTF-8?B?nJM=?=\n\nx\n';
    expect(readSubmittedMessage(Buffer.from(subject)).subject).toBe('✓✓');
    const quoted = 'Subject: =?utf-8?Q?=E2=9C?= =?utf-8?Q?=93_a?=\n\nx\n';
    expect(readSubmittedMessage(Buffer.from(quoted)).subject).toBe('✓ a');
  });
});
