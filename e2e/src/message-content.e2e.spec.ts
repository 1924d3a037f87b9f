/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */
import { describe, expect, it } from '@jest/globals';
import PostalMime, { decodeWords } from 'postal-mime';
import { verifiedSignatures } from './dkim.js';
import type { MailboxMessage } from './mailbox.js';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const sender = await world.sender('Shop', 'shop.test');

describe('bodies', () => {
  it('message only: a plain-text version is derived from it', async () => {
    const mail = await parsed(
      await received({ message: '<h1>Thanks</h1><p>See <a href="https://shop.test/a">it</a></p>' }),
    );

    expect(mail.html).toContain('<h1>Thanks</h1>');
    expect(mail.text).toMatch(/thanks/i);
    expect(mail.text).toContain('https://shop.test/a');
    expect(mail.text).not.toContain('<');
  });

  it('text only: no HTML part', async () => {
    const { raw, ...rest } = await received({ text: 'Only <text> & nothing else' });

    expect(raw).not.toMatch(/text\/html/);
    expect((await parsed({ raw, ...rest })).text?.trimEnd()).toBe('Only <text> & nothing else');
  });

  it('message and text: both unchanged', async () => {
    const mail = await parsed(await received({ message: '<p>In <b>HTML</b></p>', text: 'In words of its own' }));

    expect(mail.html).toContain('<p>In <b>HTML</b></p>');
    expect(mail.text?.trimEnd()).toBe('In words of its own');
  });

  it.each([
    ['a line of a lone dot', 'before\n.\n..after'],
    ['a line of 5,000 characters', 'x'.repeat(5_000)],
    ['emoji and every script', '👩‍👩‍👧 שלום Ελλάδα 漢字 العربية'],
    ['a line that begins with From', 'From here on\nFrom there on'],
  ])('%s arrives unchanged and signed', async (_, text) => {
    const mail = await received({ text });

    expect((await parsed(mail)).text?.trimEnd()).toBe(text);
    expect(await verifiedSignatures(mail.raw, world.postern.dns.address)).toEqual([
      { result: 'pass', domain: 'shop.test' },
    ]);
    expect(Math.max(...mail.raw.split('\r\n').map(line => Buffer.byteLength(line)))).toBeLessThanOrEqual(998);
  });
});

describe('headers', () => {
  it.each([
    ['bare address', 'orders@shop.test', { name: '', address: 'orders@shop.test' }],
    ['display name', 'Shop <orders@shop.test>', { name: 'Shop', address: 'orders@shop.test' }],
    ['quoted display name', '"Shop, Inc." <orders@shop.test>', { name: 'Shop, Inc.', address: 'orders@shop.test' }],
    ['display name in any script', '店 ✓ <orders@shop.test>', { name: '店 ✓', address: 'orders@shop.test' }],
  ])('from as %s', async (_, from, expected) => {
    const mail = await received({ from, text: 'Hello' });

    expect((await parsed(mail)).from).toEqual(expected);
  });

  it('reply_to sets Reply-To', async () => {
    const { replyTo } = await parsed(
      await received({ text: 'Hello', reply_to: ['help@shop.test', 'Зоя <zoe@shop.test>'] }),
    );

    expect(replyTo).toEqual([
      { name: '', address: 'help@shop.test' },
      { name: 'Зоя', address: 'zoe@shop.test' },
    ]);
  });

  it('extra headers named X-… are set, in any script', async () => {
    const { headers } = await parsed(
      await received({ text: 'Hello', headers: { 'X-Order': '42', 'X-Note': 'grün ✓' } }),
    );

    const extra = headers
      .filter(({ key }) => key.startsWith('x-') && key !== 'x-postern-id')
      .map(({ key, value }) => [key, decodeWords(value)]);

    expect(extra).toEqual([
      ['x-order', '42'],
      ['x-note', 'grün ✓'],
    ]);
  });

  it('a subject of 998 characters in any script arrives complete', async () => {
    const subject = 'Ünïcödé 漢字 '.repeat(100).slice(0, 997).trimEnd().padEnd(998, '.');

    expect((await parsed(await received({ text: 'Hello', subject }))).subject).toBe(subject);
  });

  it('a message has at most one of each unique header, and no Bcc', async () => {
    const { raw } = await received({ text: 'Hello', cc: ['cc@customers.test'], bcc: ['hidden@customers.test'] });
    const head = raw.slice(0, raw.indexOf('\r\n\r\n'));

    for (const name of ['From', 'To', 'Cc', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'])
      expect([name, head.match(new RegExp(`^${name}:`, 'gim'))?.length]).toEqual([name, 1]);
    expect(raw).not.toMatch(/bcc|hidden@/i);
    const blind = await world.mailTo('hidden@customers.test');
    expect(blind.raw).not.toMatch(/bcc|hidden@/i);
    expect((await parsed(blind)).to).toEqual((await parsed(await world.mailTo('cc@customers.test'))).to);
  });

  it('every copy has its own return path at the bounce domain, which reveals no address', async () => {
    await sender.send({ ...MAIL, text: 'Hello', to: ['one@customers.test', 'two@customers.test'] });
    const paths = [await world.mailTo('one@customers.test'), await world.mailTo('two@customers.test')].map(
      ({ envelope_from }) => envelope_from,
    );

    expect(paths[0]).toMatch(/@bounces\.postern\.test$/);
    expect(paths[1]).toMatch(/@bounces\.postern\.test$/);
    expect(paths[0]).not.toBe(paths[1]);
    expect(paths.join()).not.toMatch(/customers/);
  });
});

describe('recipients', () => {
  it('the record lists the recipients of to, as bare addresses in their order', async () => {
    const { body } = await sender.send({
      ...MAIL,
      text: 'Hello',
      to: ['Zoe <zoe@customers.test>', 'ada@customers.test'],
      cc: ['cc@customers.test'],
      bcc: ['bcc@customers.test'],
    });

    expect(body['to']).toEqual(['zoe@customers.test', 'ada@customers.test']);
  });

  it('an address in to, cc and bcc gets one copy and fires one delivered event', async () => {
    const same = 'same@customers.test';
    const { body } = await sender.send({
      ...MAIL,
      text: 'Hello',
      to: [same],
      cc: ['Same <same@CUSTOMERS.test>'],
      bcc: [same],
    });
    await sender.event('delivered', body['id'] as string);
    const last = await sender.send({ ...MAIL, text: 'Hello', to: ['last@customers.test'] });
    await sender.event('delivered', last.body['id'] as string);

    expect(await world.mailsTo(same)).toHaveLength(1);
    expect(sender.receiver.requests.filter(call => call.body.includes(String(body['id'])))).toHaveLength(1);
  });

  it('every recipient of to, cc and bcc fires their own delivered event', async () => {
    const [to, cc, bcc] = ['to@each.test', 'cc@each.test', 'bcc@each.test'];
    const { body } = await sender.send({ ...MAIL, text: 'Hello', to: [to], cc: [cc], bcc: [bcc] });
    const id = body['id'] as string;
    const recipients = [];
    for (let n = 0; n < 3; n++) recipients.push((await sender.event('delivered', id)).to);

    expect(recipients.sort()).toEqual([bcc, cc, to]);
  });

  it('an internationalized domain is written in A-labels', async () => {
    const { body } = await sender.send({ ...MAIL, text: 'Hello', to: ['Jörg <joerg@bücher.test>'] });

    expect(body['to']).toEqual(['joerg@xn--bcher-kva.test']);
    const mail = await parsed(await world.mailTo('joerg@xn--bcher-kva.test'));
    expect(mail.to).toEqual([{ name: 'Jörg', address: 'joerg@xn--bcher-kva.test' }]);
  });
});

const MAIL = { from: 'Shop <orders@shop.test>', to: ['ada@customers.test'], subject: 'Your receipt' };

let mails = 0;

/** Sends the message with this change to a new mailbox. @returns the received mail. */
const received = async (change: object): Promise<MailboxMessage> => {
  const to = `reader-${++mails}@customers.test`;
  const { status, body } = await sender.send({ ...MAIL, ...change, to: [to] });
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'sent', mode: 'production' } });
  return world.mailTo(to);
};

const parsed = ({ raw }: Pick<MailboxMessage, 'raw'>) => PostalMime.parse(raw);
