import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type SinkMessage, startSmtpSink, type TestSmtp, waitFor } from '@postern/testing';
import { createTransport } from 'nodemailer';
import PostalMime from 'postal-mime';
import { type MailSimulator, startMailSimulator } from './simulator.js';

const returnPath = 'return+token@bounce.example';
const everything = ['SUCCESS', 'FAILURE', 'DELAY'];

describe('the mail simulator', () => {
  let bounces: TestSmtp;
  let simulator: MailSimulator;
  beforeEach(async () => {
    bounces = await startSmtpSink();
    const bounceRelay = { host: bounces.host, port: bounces.port };
    simulator = await startMailSimulator({ bounceRelay, slowMs: 300, firstRetryMs: 20 });
  });
  afterEach(async () => {
    await simulator.stop();
    await bounces.stop();
  });

  interface Sending {
    from?: string;
    notify?: string[];
    subject?: string;
    ret?: 'FULL' | 'HDRS';
  }

  /** Sends one message to one recipient with nodemailer. @returns the response of the relay. */
  async function send(
    to: string,
    { from = returnPath, notify = everything, subject = 'Hello', ret = 'HDRS' }: Sending = {},
  ) {
    const transport = createTransport({ host: '127.0.0.1', port: simulator.smtpPort, ignoreTLS: true });
    const dsn = { id: 'envelope+7', return: ret, notify, recipient: to };
    const text = 'the secret body';
    const sent = await transport.sendMail({
      envelope: { from, to: [to] },
      from: 'Shop <shop@example.com>',
      to,
      subject,
      text,
      ...(notify.length > 0 ? { dsn } : {}),
    });
    return sent.response;
  }

  async function kept(
    to: string,
  ): Promise<{ subject: string; from: string; raw: string; id: string; envelope_from: string }[]> {
    return JSON.parse(await (await fetch(`${simulator.mailboxUrl}/messages?to=${encodeURIComponent(to)}`)).text());
  }

  /** Waits until every due report has been sent. */
  const allReported = () => waitFor(() => simulator.counters().reports.waiting === 0, { describe: 'an empty queue' });

  it('notifies the sender of a delivery as in RFC 3464', async () => {
    expect(await send('delivered@simulator.test')).toMatch(/^250/);
    const notice = await bounces.nextMessage();
    expect(notice).toMatchObject({ from: '', to: [{ address: returnPath }] });
    const { type, status, original } = await read(notice);
    expect(type).toContain('report-type=delivery-status');
    expect(status).toMatchObject({
      'original-envelope-id': 'envelope+7',
      'original-recipient': 'rfc822;delivered@simulator.test',
      'final-recipient': 'rfc822; delivered@simulator.test',
      action: 'delivered',
      status: '2.1.5',
      'diagnostic-code': expect.stringMatching(/^smtp; 250 /),
    });
    expect(original).toContain('Subject: Hello');
    expect(original).not.toContain('the secret body');
    expect(await kept('delivered@simulator.test')).toHaveLength(1);
  });

  it.each([
    ['hard-bounce', 'failed', '5.1.1', 0],
    ['soft-bounce', 'failed', '5.2.2', 0],
    ['relayed', 'relayed', '2.0.0', 1],
    ['expanded', 'expanded', '2.0.0', 1],
  ])('accepts mail to %s@, also with a tag, and reports it as %s %s', async (name, action, code, copies) => {
    const address = `${name}+tag@simulator.test`;
    await send(address);
    const { status } = await read(await bounces.nextMessage());
    expect(status).toMatchObject({ action, status: code, 'final-recipient': `rfc822; ${address}` });
    expect(await kept(address)).toHaveLength(copies);
  });

  it('attaches the whole message to a failure when the sender requested it', async () => {
    await send('hard-bounce@simulator.test', { ret: 'FULL' });
    expect((await read(await bounces.nextMessage())).original).toContain('the secret body');
  });

  it('rejects refused@ at RCPT', async () => {
    await expect(send('refused@simulator.test')).rejects.toMatchObject({ responseCode: 550 });
    expect(simulator.counters()).toMatchObject({ accepted: 0, refused: 1 });
  });

  it('defers deferred@ once for each sender, then accepts it', async () => {
    await expect(send('deferred@simulator.test')).rejects.toMatchObject({ responseCode: 451 });
    await expect(send('deferred@simulator.test', { from: 'other@bounce.example' })).rejects.toMatchObject({
      responseCode: 451,
    });
    expect(await send('deferred@simulator.test')).toMatch(/^250/);
    expect((await read(await bounces.nextMessage())).status).toMatchObject({ action: 'delivered' });
  });

  it('reports slow@ as delayed before it is delivered', async () => {
    await send('slow@simulator.test');
    expect(await kept('slow@simulator.test')).toHaveLength(0);
    expect((await read(await bounces.nextMessage())).status).toMatchObject({
      action: 'delayed',
      status: '4.4.1',
      'will-retry-until': expect.any(String),
    });
    expect((await read(await bounces.nextMessage())).status).toMatchObject({ action: 'delivered' });
    expect(await kept('slow@simulator.test')).toHaveLength(1);
  });

  it('delivers to complaint@ and then sends a feedback report of RFC 5965', async () => {
    await send('complaint@simulator.test');
    expect((await read(await bounces.nextMessage())).status).toMatchObject({ action: 'delivered' });
    const complaint = await bounces.nextMessage();
    expect(complaint).toMatchObject({ from: '', to: [{ address: returnPath }] });
    const { type, status, original } = await read(complaint);
    expect(type).toContain('report-type=feedback-report');
    expect(status).toMatchObject({
      'feedback-type': 'abuse',
      version: '1',
      'user-agent': expect.any(String),
      'original-mail-from': `<${returnPath}>`,
      'original-rcpt-to': '<complaint@simulator.test>',
      'source-ip': '127.0.0.1',
    });
    expect(original).toContain('the secret body');
  });

  it('accepts mail for every other address of every domain', async () => {
    await send('Ada@x.example', { subject: 'Grüße' });
    expect((await read(await bounces.nextMessage())).status).toMatchObject({ action: 'delivered' });
    expect(await kept('ada@x.example')).toMatchObject([
      { subject: 'Grüße', from: 'Shop <shop@example.com>', to: 'Ada@x.example', envelope_from: returnPath },
    ]);
    expect(await kept('bob@x.example')).toEqual([]);
  });

  it('reports internationalized addresses as in RFC 6533', async () => {
    await send('jörg@x.example', { notify: ['SUCCESS'] });
    const { raw } = await bounces.nextMessage();
    expect(raw.toString()).toContain('Content-Type: message/global-delivery-status');
    expect(raw.toString()).toContain('Final-Recipient: utf-8; jörg@x.example');
  });

  it.each([
    ['of success', 'delivered@simulator.test', ['FAILURE', 'DELAY']],
    ['of success without NOTIFY', 'delivered@simulator.test', []],
    ['of failure', 'hard-bounce@simulator.test', ['SUCCESS']],
    ['at all', 'hard-bounce@simulator.test', ['NEVER']],
  ])('sends no notification %s that the sender did not request', async (_, to, notify) => {
    await send(to, { notify });
    await allReported();
    expect(simulator.counters()).toMatchObject({ accepted: 1, reports: { sent: 0 } });
  });

  it('reports a failure without NOTIFY', async () => {
    await send('hard-bounce@simulator.test', { notify: [] });
    expect((await read(await bounces.nextMessage())).status).toMatchObject({ action: 'failed' });
  });

  it('never reports on mail with the null sender', async () => {
    await send('hard-bounce@simulator.test', { from: '' });
    await send('complaint@simulator.test', { from: '' });
    await allReported();
    expect(simulator.counters()).toMatchObject({ accepted: 2, reports: { sent: 0 } });
  });

  it('retries while the bounce relay defers or closes the connection', async () => {
    bounces.answer({ stage: 'rcpt', times: 2, code: 451, text: '4.3.0 later' });
    bounces.answer({ stage: 'data', times: 1, cut: 'before' });
    await send('delivered@simulator.test');
    await bounces.nextMessage();
    expect(bounces.counters).toMatchObject({ refused: 2, cut: 1, taken: 1 });
  });

  it('drops a report that the bounce relay rejects permanently', async () => {
    bounces.answer({ stage: 'rcpt', code: 550, text: '5.7.1 not ours' });
    await send('delivered@simulator.test');
    await allReported();
    expect(simulator.counters().reports).toEqual({ sent: 0, dropped: 1, waiting: 0 });
  });
});

/** Parses a report: its type, the fields of its machine-readable part, and the attached original. */
async function read({ raw }: SinkMessage): Promise<{ type: string; status: Record<string, string>; original: string }> {
  const options = { forceRfc822Attachments: true, attachmentEncoding: 'utf8' as const };
  const { attachments, headers } = await PostalMime.parse(raw, options);
  const [machine, original] = attachments;
  const fields = String(machine?.content)
    .split(/\r?\n/)
    .flatMap(line => [/^([^:]+): (.*)$/.exec(line)])
    .flatMap(match => (match ? [[match[1]?.toLowerCase() ?? '', match[2] ?? '']] : []));
  return {
    type: headers.find(({ key }) => key === 'content-type')?.value ?? '',
    status: Object.fromEntries(fields),
    original: String(original?.content),
  };
}
