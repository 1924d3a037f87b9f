import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticateApiKey, Refusal, submitEmail } from '@postern/contracts';
import nodemailer from 'nodemailer';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';

const KEY = `em_live_${'a'.repeat(43)}`;
const WRONG = `em_live_${'b'.repeat(43)}`;
const RECORD = {
  id: '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00',
  status: 'sent' as const,
  mode: 'production' as const,
  from: 'ada@example.com',
  to: ['grace@example.org'],
  message: 'Sent to the relay',
};
const REPLY = { email: RECORD, rate_limit: { limit: 10, remaining: 9, reset_s: 60 }, replayed: false };
const MAIL = {
  from: 'Ada <ada@example.com>',
  to: 'grace@example.org',
  subject: 'Grüße ✓',
  text: 'Hello',
  html: '<p>Hello</p>',
  messageId: '<1@app>',
  date: new Date(0),
};

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({
    POSTERN_SUBMISSION_PORT: '0',
    POSTERN_SUBMISSION_TLS_PORT: '0',
    POSTERN_SUBMISSION_HOST: '0.0.0.0',
    POSTERN_SUBMISSION_CLEAR_TEXT_AUTH: 'loopback',
    POSTERN_CLIENT_REQUESTS_PER_SECOND: '1',
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.services.reset();
  gateway.services.on(authenticateApiKey, ({ api_key_hash }) => {
    if (api_key_hash === createHash('sha256').update(KEY).digest('hex')) return { service_id: RECORD.id };
    throw new Refusal('api_key_invalid', 'the API key is not valid');
  });
  gateway.services.on(submitEmail, () => REPLY);
});

const transport = (pass = KEY, more: object = {}) =>
  nodemailer.createTransport({
    host: '127.0.0.1',
    port: gateway.submissionPort,
    auth: { user: 'postern', pass },
    tls: { rejectUnauthorized: false },
    ...more,
  });

/** Sends lines in plain SMTP, one after each reply, and returns all replies. */
const dialogue = (...lines: string[]) => dialogueWith('127.0.0.1', ...lines);

const dialogueWith = (address: string, ...lines: string[]) => dialogueAt(gateway.submissionPort, address, ...lines);

const dialogueAt = (port: number, address: string, ...lines: string[]) =>
  new Promise<string>((resolve, reject) => {
    let replies = '';
    const left = [...lines];
    const socket = createConnection(port, address);
    socket.setEncoding('utf8').on('data', (data: Buffer | string) => {
      replies += data;
      if (/^\d{3} .*\r\n$/m.test(String(data))) {
        const line = left.shift();
        if (line === undefined) socket.end();
        else socket.write(`${line}\r\n`);
      }
    });
    socket.on('close', () => resolve(replies)).on('error', reject);
  });

const plain = (key: string) => Buffer.from(`\0postern\0${key}`).toString('base64');

describe('SMTP submission', () => {
  it.each([
    ['STARTTLS', { requireTLS: true }],
    ['no TLS, from this machine', { ignoreTLS: true }],
  ])('accepts a message from nodemailer with %s', async (_, more) => {
    const sent = await transport(KEY, more).sendMail({ ...MAIL, bcc: 'hidden@example.org' });
    expect(sent.response).toBe(`250 2.0.0 Sent to the relay (id ${RECORD.id})`);
    const [request] = gateway.services.requestsOf(submitEmail);
    expect(request).toMatchObject({
      api_key_hash: createHash('sha256').update(KEY).digest('hex'),
      recipients: ['grace@example.org', 'hidden@example.org'],
    });
    expect(Buffer.from(request!.content, 'base64').toString()).toContain('<p>Hello</p>');
  });

  it('accepts a message from Python’s smtplib', async () => {
    const script = `
import smtplib, ssl, sys
from email.message import EmailMessage
message = EmailMessage()
message['From'], message['To'], message['Subject'] = 'ada@example.com', 'grace@example.org', 'Grüße'
message.set_content('Hällo')
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
with smtplib.SMTP('127.0.0.1', int(sys.argv[1])) as smtp:
    smtp.starttls(context=context)
    smtp.login('postern', sys.argv[2])
    print(smtp.send_message(message))
`;
    const python = promisify(execFile)('python3', ['-c', script, String(gateway.submissionPort), KEY]);
    const outcome = await python.catch((error: NodeJS.ErrnoException) => error);
    if ('code' in outcome && outcome.code === 'ENOENT') return console.warn('Skipped: there is no python3.');
    expect(outcome).toMatchObject({ stdout: '{}\n' });
    expect(gateway.services.requestsOf(submitEmail)).toMatchObject([{ recipients: ['grace@example.org'] }]);
  });

  it('uses the same idempotency key for the same Message-ID, content and recipients', async () => {
    const mime = {
      envelope: { from: 'a@example.com', to: ['grace@example.org'] },
      raw: 'Message-ID: <2@app>\r\n\r\nHello',
    };
    for (const one of [mime, mime, { ...mime, raw: `${mime.raw}!` }, { ...mime, raw: 'Subject: x\r\n\r\nHello' }])
      await transport().sendMail(one);
    const keys = gateway.services.requestsOf(submitEmail).map(request => request.idempotency_key);
    expect(keys[0]).toMatch(/^smtp:[0-9a-f]{64}$/);
    expect([keys[1] === keys[0], keys[2] === keys[0], keys[3]]).toEqual([true, false, undefined]);
  });

  it.each<[string, string, RegExp]>([
    ['recipient_not_verified', 'b@c.d is not a verified sandbox recipient', /^550 5\.7\.1 b@c\.d is not a verified/],
    ['invalid_email', 'from: malformed', /^554 5\.6\.0 from: malformed/],
    ['daily_limit_reached', 'the limit is reached', /^450 4\.7\.28 The limit is reached\./],
    ['relay_unavailable', 'no relay', /^451 4\.4\.1 No relay\./],
    ['service_disabled', 'the service is disabled', /^550 5\.7\.13 The service is disabled\./],
  ])('replies to the refusal %s with its message', async (code, message, response) => {
    gateway.services.on(submitEmail, () => {
      throw new Refusal(code, message);
    });
    await expect(transport().sendMail(MAIL)).rejects.toMatchObject({ response: expect.stringMatching(response) });
  });

  it('replies 554 to a message that no relay accepted', async () => {
    const failed = { ...RECORD, status: 'failed' as const, message: 'Rejected: 550 no such user' };
    gateway.services.on(submitEmail, () => ({ ...REPLY, email: failed }));
    await expect(transport().sendMail(MAIL)).rejects.toMatchObject({
      response: expect.stringMatching(/^554 5\.0\.0 Rejected: 550 no such user/),
    });
  });

  it('accepts no message without a key', async () => {
    expect(await dialogue('EHLO app', 'MAIL FROM:<a@b.c>', 'DATA')).toMatch(/\r\n530 [^\r]*\r\n(?:530|503) /);
    expect(gateway.services.requestsOf(submitEmail)).toEqual([]);
  });

  it('asks for another transaction after 50 recipients, and refuses a message that declares more than 36 MiB', async () => {
    const recipients = Array.from({ length: 50 }, (_, n) => `RCPT TO:<r${n}@example.org>`);
    const session = ['EHLO app', `AUTH PLAIN ${plain(KEY)}`, 'MAIL FROM:<a@b.c>'];
    expect(await dialogue(...session, ...recipients, 'RCPT TO:<one@more.org>')).toMatch(/452 4\.5\.3 At most 50/);
    expect(await dialogue(...session.slice(0, 2), 'MAIL FROM:<a@b.c> SIZE=37748737')).toMatch(/\r\n552 /);
  });

  it('refuses a malformed recipient alone, and sends to the others', async () => {
    const session = ['EHLO app', `AUTH PLAIN ${plain(KEY)}`, 'MAIL FROM:<a@b.c>'];
    const refused = ['nobody@localhost', 'a..b@example.org'].map(address => `RCPT TO:<${address}>`);
    const accepted = ['"foo..bar"@docomo.test', 'foo.@docomo.ne.jp'].map(address => `RCPT TO:<${address}>`);
    const replies = await dialogue(...session, ...refused, ...accepted, 'DATA', 'Subject: x\r\n\r\nHello\r\n.', 'QUIT');
    expect(replies.match(/\r\n553 5\.1\.3 The recipient is not accepted: /g)).toHaveLength(2);
    expect(gateway.services.requestsOf(submitEmail)).toMatchObject([
      { recipients: ['"foo..bar"@docomo.test', 'foo.@docomo.ne.jp'] },
    ]);
  });

  it('accepts a message over TLS from the first byte', async () => {
    const secure = { port: gateway.submissionTlsPort, secure: true };
    expect((await transport(KEY, secure).sendMail(MAIL)).response).toMatch(/^250 /);
    await expect(transport(WRONG, secure).sendMail(MAIL)).rejects.toMatchObject({ responseCode: 535 });
  });

  it('offers and accepts AUTH from another machine only after STARTTLS', async () => {
    const address = Object.values(networkInterfaces())
      .flatMap(all => all ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    if (!address) return console.warn('Skipped: this machine has only a loopback address.');
    const replies = await dialogueWith(address, 'EHLO app', `AUTH PLAIN ${plain(KEY)}`, 'MAIL FROM:<a@b.c>');
    expect(replies).toContain('STARTTLS');
    expect(replies).not.toMatch(/250[ -]AUTH/);
    expect(replies).toMatch(/\r\n5\d\d [^\r]*\r\n530 5\.7\.0 /);
    expect((await transport(KEY, { host: address, requireTLS: true }).sendMail(MAIL)).response).toMatch(/^250 /);
  });

  it('accepts no AUTH in clear text on a loopback address, unless configured', async () => {
    const strict = await startGateway({ POSTERN_SUBMISSION_PORT: '0' });
    try {
      strict.services.on(authenticateApiKey, () => ({ service_id: RECORD.id }));
      strict.services.on(submitEmail, () => REPLY);
      const replies = await dialogueAt(strict.submissionPort, '127.0.0.1', 'EHLO app', `AUTH PLAIN ${plain(KEY)}`);
      expect(replies).toContain('STARTTLS');
      expect(replies).not.toMatch(/250[ -]AUTH|\r\n235 /);
      expect(strict.services.requestsOf(authenticateApiKey)).toEqual([]);
      const over = transport(KEY, { port: strict.submissionPort, requireTLS: true });
      expect((await over.sendMail(MAIL)).response).toMatch(/^250 /);
    } finally {
      await strict.stop();
    }
  });

  it('replies 451 while email-send is unreachable', async () => {
    gateway.services.on(submitEmail, () => {
      throw new Refusal('deadline_passed', 'the deadline passed');
    });
    await expect(transport().sendMail(MAIL)).rejects.toMatchObject({ responseCode: 451 });
  });

  it('ignores clear-text commands that precede the TLS handshake', async () => {
    const socket = createConnection(gateway.submissionPort, '127.0.0.1');
    await once(socket, 'data');
    // An attacker between client and server adds commands after STARTTLS, in the same packet.
    socket.write('EHLO app\r\n');
    await once(socket, 'data');
    socket.write(`STARTTLS\r\nEHLO injected\r\nAUTH PLAIN ${plain(KEY)}\r\n`);
    const [reply] = (await once(socket, 'data')) as [Buffer];
    expect(String(reply)).toMatch(/^220 /);
    const secure = connectTls({ socket, rejectUnauthorized: false });
    let replies = '';
    secure.setEncoding('utf8').on('data', text => {
      replies += text;
    });
    await once(secure, 'secureConnect');
    secure.write('MAIL FROM:<a@b.c>\r\nQUIT\r\n');
    await once(secure, 'close');
    expect(replies).toMatch(/^(?:503|530) /);
    expect(gateway.services.requestsOf(authenticateApiKey)).toEqual([]);
  });

  it.each([
    ['a line feed alone', '\n.\nMAIL FROM:<evil@b.c>\r\n'],
    ['a line feed before the dot', '\n.\r\nMAIL FROM:<evil@b.c>\r\n'],
    ['a line feed behind the dot', '\r\n.\nMAIL FROM:<evil@b.c>\r\n'],
    ['a carriage return alone', '\r.\rMAIL FROM:<evil@b.c>\r\n'],
    ['a zero before the dot', '\r\n\x00.\r\nMAIL FROM:<evil@b.c>\r\n'],
  ])('does not end a message at a dot with %s', async (_, smuggled) => {
    const session = ['EHLO app', `AUTH PLAIN ${plain(KEY)}`, 'MAIL FROM:<a@b.c>', 'RCPT TO:<r@example.org>', 'DATA'];
    const replies = await dialogue(...session, `Subject: x\r\n\r\nhello${smuggled}rest\r\n.`, 'QUIT');
    expect(replies).toMatch(/\r\n250 2\.0\.0 [^\r]*\r\n221 /);
    const requests = gateway.services.requestsOf(submitEmail);
    expect(requests).toHaveLength(1);
    expect(Buffer.from(requests[0]!.content, 'base64').toString()).toContain('rest');
  });

  it('refuses a wrong key with 535, and limits guessing as in HTTP', async () => {
    const codes: number[] = [];
    // On a slow machine a guess takes so long that further ones are allowed meanwhile.
    while (!codes.includes(421) && codes.length < 60)
      await transport(WRONG)
        .sendMail(MAIL)
        .catch(({ responseCode }) => codes.push(responseCode));
    expect(codes.slice(0, 2)).toEqual([535, 535]);
    expect(codes.at(-1)).toBe(421);
    const guesses = Array<string>(4).fill(`AUTH PLAIN ${plain('guess')}`);
    expect(await dialogue('EHLO app', ...guesses)).toMatch(/421/);
  });
});
