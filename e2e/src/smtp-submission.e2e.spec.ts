import { describe, expect, it } from '@jest/globals';
import nodemailer from 'nodemailer';
import PostalMime from 'postal-mime';
import { verifiedSignatures } from './dkim.js';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const sender = await world.sender('SMTP', 'smtp.test');
const sandbox = await world.sender('SMTP sandbox');

const submit = (pass: string) =>
  nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.postern.wiring.submissionPort,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    auth: { user: 'postern', pass },
  });
const idIn = ({ response }: { response: string }) => /id ([0-9a-f-]{36})/.exec(response)?.[1] ?? '';

const MAIL = {
  from: 'Ada <ada@smtp.test>',
  to: 'grace@customers.test',
  cc: 'carl@customers.test',
  bcc: 'hidden@customers.test',
  subject: 'Grüße ✓',
  text: 'Hello',
  html: '<p>Hello</p><img src="cid:logo">',
  headers: { 'X-Order-Id': '1234' },
  attachments: [
    { filename: 'rechnung.pdf', content: Buffer.from('%PDF-1.4 äöü'), contentType: 'application/pdf' },
    { filename: 'logo.png', content: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]), cid: 'logo' },
  ],
};

describe('a message submitted over SMTP', () => {
  it('arrives with its structure and attachments, the Postern header, signature and tracking, and has events', async () => {
    const id = idIn(await submit(sender.apiKey).sendMail(MAIL));
    const record = await sender.get(id);
    expect(record).toMatchObject({
      status: 200,
      body: { id, status: 'sent', mode: 'production', from: 'Ada <ada@smtp.test>', to: ['grace@customers.test'] },
    });
    for (const address of ['grace@customers.test', 'carl@customers.test', 'hidden@customers.test']) {
      const { raw } = await world.mailTo(address);
      const mail = await PostalMime.parse(raw);
      expect(mail).toMatchObject({ subject: 'Grüße ✓', to: [{ address: 'grace@customers.test' }], text: 'Hello\n' });
      expect(raw).toMatch(/^X-Order-Id: 1234\r?$/im);
      expect(raw).not.toContain('hidden@customers.test>');
      expect(mail.html).toMatch(/\/o\/[^"]+\.gif/);
      expect(mail.attachments.map(({ filename }) => filename).sort()).toEqual(['logo.png', 'rechnung.pdf']);
      const [pdf] = mail.attachments.filter(({ filename }) => filename === 'rechnung.pdf');
      expect(Buffer.from(pdf!.content as ArrayBuffer).toString()).toBe('%PDF-1.4 äöü');
      expect(await verifiedSignatures(raw, world.postern.dns.address)).toContainEqual({
        result: 'pass',
        domain: 'smtp.test',
      });
    }
    expect(await sender.event('delivered', id)).toMatchObject({ event: 'delivered', subject: 'Grüße ✓' });
  });

  it('is sent once if submitted twice with the same Message-ID and content, and has the first record', async () => {
    const same = {
      ...MAIL,
      messageId: '<once@smtp.test>',
      subject: 'Once',
      date: new Date(0),
      attachments: [],
      html: '',
    };
    const [first, second] = [await submit(sender.apiKey).sendMail(same), await submit(sender.apiKey).sendMail(same)];
    expect(idIn(second)).toBe(idIn(first));
    expect(second.response).toMatch(/replayed/);
    expect((await world.mailsTo('grace@customers.test')).filter(({ subject }) => subject === 'Once')).toHaveLength(1);
  });

  it('follows the rules of the sandbox', async () => {
    const refused = submit(sandbox.apiKey).sendMail({ ...MAIL, cc: [], bcc: [] });
    await expect(refused).rejects.toMatchObject({
      response: expect.stringMatching(/^550 5\.7\.1 grace@customers\.test is not a verified sandbox recipient/),
    });
    const sent = await submit(sandbox.apiKey).sendMail({ ...MAIL, to: 'delivered@simulator.test', cc: [], bcc: [] });
    expect((await sandbox.get(idIn(sent))).body).toMatchObject({ mode: 'sandbox', status: 'sent' });
  });
});
