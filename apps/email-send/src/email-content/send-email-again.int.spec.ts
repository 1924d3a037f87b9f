import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createApiKey,
  createEmailService,
  preAddRecipient,
  sendEmail,
  sendEmailAgain,
  sendEmailBody,
  submitEmail,
  updateEmailService,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { AdministrationFixture } from '../testing/administration-fixture.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);

let owner: { workspace_id: string; service_id: string };
let keyHash: string;
let ada: string;
let mary: string;
let count = 0;
beforeEach(async () => {
  const workspace_id = uuidv7();
  const { id } = await call(createEmailService, { workspace_id, name: 'Shop' });
  owner = { workspace_id, service_id: id };
  const { key } = await call(createApiKey, { ...owner, name: 'app' });
  keyHash = createHash('sha256').update(key).digest('hex');
  [ada, mary] = [`ada${++count}@example.com`, `mary${count}@example.com`];
  for (const address of [ada, mary]) await call(preAddRecipient, { ...owner, address });
});

const first = async (changes: object = {}) => {
  const email = {
    from: '"Shop, Inc." <shop@example.com>',
    to: [ada],
    subject: 'Receipt',
    message: '<p>Thank you.</p>',
    reply_to: ['help@example.com'],
    headers: { 'X-Order': '4711' },
    attachments: [{ filename: 'receipt.txt', content: 'UmVjZWlwdA==' }],
    ...changes,
  };
  const sent = await call(sendEmail, {
    api_key_hash: keyHash,
    answer_within_ms: 30_000,
    email_id: uuidv7(),
    email: sendEmailBody.parse(email),
  });
  return sent.email.id;
};
const again = (email_id: string, to: string[], key?: string) =>
  call(
    sendEmailAgain,
    { ...owner, email_id, to },
    key === undefined ? {} : { key: { caller: 'ada', key, fingerprint: key } },
  );
const receivedBy = (address: string) => fixture.smtp.messages.filter(({ to }) => to[0]!.address === address);
const headersOf = (source: string) => source.slice(0, source.indexOf('\r\n\r\n'));

describe('A message that is sent again', () => {
  it('is a new message with the sender, content, files and headers of the first, to the given recipients', async () => {
    const id = await first();
    const record = await again(id, [mary]);
    expect(record).toMatchObject({ status: 'sent', mode: 'sandbox', to: [mary] });
    expect(record.id).not.toBe(id);
    const [source = ''] = receivedBy(mary).map(({ raw }) => raw.toString());
    const headers = headersOf(source);
    expect(headers).toContain('Subject: Receipt');
    expect(headers).toContain('X-Order: 4711');
    expect(headers).toContain(mary);
    expect(headers).not.toContain(ada);
    expect(/^Reply-To: (.*(?:\r\n\s.*)*)/m.exec(headers)?.[1]).toMatch(
      /Shop, Inc\..*shop@example\.com.*help@example\.com/s,
    );
    expect(source).toContain('UmVjZWlwdA==');
    expect(source).toContain('Thank you.');
  });

  it('keeps the structure of a message that was submitted over SMTP', async () => {
    const content = [
      'From: shop@example.com',
      `To: ${ada}`,
      'Subject: Structure',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="the-boundary"',
      '',
      '--the-boundary',
      'Content-Type: text/plain',
      '',
      'One.',
      '--the-boundary--',
      '',
    ].join('\r\n');
    const { email } = await call(submitEmail, {
      api_key_hash: keyHash,
      answer_within_ms: 30_000,
      email_id: uuidv7(),
      recipients: [ada],
      content: Buffer.from(content).toString('base64'),
    });
    await again(email.id, [mary]);
    const [source = ''] = receivedBy(mary).map(({ raw }) => raw.toString());
    expect(source).toContain('--the-boundary');
    expect(headersOf(source)).toContain(mary);
  });

  it('is sent once under one Idempotency-Key, and again without', async () => {
    const id = await first();
    const [one, other] = [await again(id, [mary], 'click'), await again(id, [mary], 'click')];
    expect(other).toEqual(one);
    expect(receivedBy(mary)).toHaveLength(1);
    await again(id, [mary]);
    expect(receivedBy(mary)).toHaveLength(2);
  });

  it('is sent once even if a crash lost that the command was carried out', async () => {
    const id = await first();
    const one = await again(id, [mary], 'crash');
    await fixture.pool.query(
      `UPDATE event_store.command_claims SET answer = NULL, carried_out = false, lease_until = now() - interval '1 second'`,
    );
    expect(await again(id, [mary], 'crash')).toEqual(one);
    expect(receivedBy(mary)).toHaveLength(1);
  });

  it('is refused by the rules of the service', async () => {
    const id = await first();
    await expect(again(id, ['eve@example.com'])).rejects.toMatchObject({ code: 'recipient_not_verified' });
    await expect(again(id, ['eve'])).rejects.toMatchObject({
      code: 'invalid_email',
      message: expect.stringContaining('to[0]'),
    });
    await call(updateEmailService, { ...owner, changes: { enabled: false } });
    await expect(again(id, [mary])).rejects.toMatchObject({ code: 'service_disabled' });
  });

  it('is refused once its content is deleted, and in another workspace', async () => {
    const id = await first();
    const elsewhere = { ...owner, workspace_id: uuidv7(), email_id: id, to: [mary] };
    await expect(call(sendEmailAgain, elsewhere)).rejects.toMatchObject({ code: 'service_not_found' });
    await expect(again(uuidv7(), [mary])).rejects.toMatchObject({ code: 'email_not_found' });
    await fixture.pool.query('DELETE FROM sealed_email_bodies WHERE email_id = $1', [id]);
    await expect(again(id, [mary])).rejects.toMatchObject({
      code: 'content_deleted',
      message: 'the content of this message is no longer stored',
    });
  });
});
