import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { v7 as uuidv7 } from 'uuid';
import { refusalOf, SendingFixture, TRACKING } from '../testing/sending-fixture.js';
import { SubmitEmail } from './submit-email.js';

let fixture: SendingFixture;
let submission: SubmitEmail;

beforeAll(async () => {
  fixture = await SendingFixture.start();
  submission = new SubmitEmail((await fixture.process()).sendEmail);
});
afterAll(() => fixture.stop());

const MIME = [
  'From: Shop <shop@example.com>',
  'To: ada@x.test',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  'Message-ID: <app@shop>',
  'X-Order-Id: 1234',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Grüße</p>',
  '--b',
  'Content-Type: application/pdf',
  'Content-Disposition: attachment; filename=bill.pdf',
  'Content-Transfer-Encoding: base64',
  '',
  'JVBERi0xLjQ=',
  '--b--',
  '',
];

const submit = (api_key_hash: string, recipients: string[], lines = MIME, idempotency_key?: string) =>
  submission.execute({
    api_key_hash,
    recipients,
    email_id: uuidv7(),
    answer_within_ms: 30_000,
    content: Buffer.from(lines.join('\r\n')).toString('base64'),
    ...(idempotency_key === undefined ? {} : { idempotency_key }),
  });

const copyFor = (address: string) =>
  fixture.smtp.nextMessage(({ to }) => to.some(recipient => recipient.address === address));

describe('a submitted message', () => {
  it('reaches the recipients of the envelope, with its attachments and the header, signature and pixel of Postern', async () => {
    const { keyHash } = fixture.sender({ openTracking: true });
    const { email } = await submit(keyHash, ['ada@x.test', 'hidden@x.test']);
    expect(email).toMatchObject({ status: 'sent', mode: 'production', to: ['ada@x.test'] });
    for (const [recipientIndex, address] of ['ada@x.test', 'hidden@x.test'].entries()) {
      const { raw } = await copyFor(address);
      const mail = await PostalMime.parse(raw);
      expect(mail).toMatchObject({
        subject: 'Grüße',
        to: [{ address: 'ada@x.test' }],
        messageId: expect.stringMatching(new RegExp(`^<${email.id}\\.[a-z0-9]{24}@example\\.com>$`)),
      });
      expect(mail.attachments).toMatchObject([{ filename: 'bill.pdf', mimeType: 'application/pdf' }]);
      expect(mail.html).toContain('<p>Grüße</p>');
      const pixel = /https:\/\/mail\.test\/o\/([\w-]+)\.gif/.exec(mail.html ?? '')?.[1] ?? '';
      expect(TRACKING.readOpenToken(pixel)).toEqual({ emailId: email.id, recipientIndex });
      expect(raw.toString()).toMatch(/^DKIM-Signature: .*d=example\.com/m);
      expect(raw.toString()).toContain('X-Order-Id: 1234');
      expect(raw.toString()).not.toMatch(/app@shop|hidden@x\.test/);
    }
  });

  it('with the same idempotency key is sent once', async () => {
    const { keyHash } = fixture.sender();
    const first = await submit(keyHash, ['once@x.test'], MIME, 'smtp:1');
    expect(await submit(keyHash, ['once@x.test'], MIME, 'smtp:1')).toMatchObject({
      email: first.email,
      replayed: true,
    });
  });

  it('without a To header shows no recipient', async () => {
    const { email } = await submit(
      fixture.sender().keyHash,
      ['bcc@x.test'],
      MIME.filter(line => !line.startsWith('To:')),
    );
    expect(email.to).toEqual(['bcc@x.test']);
    expect((await copyFor('bcc@x.test')).raw.toString()).toMatch(/^To: undisclosed-recipients:;\r\n/m);
  });

  it.each<[string, string[], RegExp]>([
    ['no sender', MIME.slice(1), /^from: /],
    ['a malformed sender', ['From: shop@@example.com', ...MIME.slice(1)], /^from: /],
    ['a Reply-To that is no address', ['Reply-To: root', ...MIME], /^reply_to\[0\]: malformed address "root"/],
  ])('with %s is refused like POST /emails', async (_, lines, message) => {
    const refusal = await refusalOf(submit(fixture.sender().keyHash, ['ada@x.test'], lines));
    expect(refusal).toMatchObject({ code: 'invalid_email', message: expect.stringMatching(message) });
  });
});
