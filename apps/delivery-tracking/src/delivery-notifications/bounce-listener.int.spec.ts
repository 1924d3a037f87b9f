import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emailAccepted, emailBounced, emailDelivered, emailHandedOver, getTrackedEmail } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { feedbackReport, notification } from '../testing/example-reports.js';
import { anEmail, BOUNCE_DOMAIN, handOverOf, RunningTracking } from '../testing/running-tracking.js';
import { SmtpConversation, sendMail } from '../testing/smtp-conversation.js';

let tracking: RunningTracking;
const email = anEmail({
  recipients: [
    { index: 0, address: 'ada@x.test', role: 'to' },
    { index: 1, address: 'bob@x.test', role: 'to' },
  ],
});
const FAILED = { action: 'failed', status: '5.1.1', diagnostic: '550 5.1.1 no such user' } as const;

beforeAll(async () => {
  tracking = await RunningTracking.start(
    {
      POSTERN_BOUNCE_MAX_BYTES: '65536',
      POSTERN_BOUNCE_MAX_CONNECTIONS_PER_ADDRESS: '8',
      POSTERN_BOUNCE_CONNECTION_TIMEOUT_MS: '700',
    },
    { durable: true },
  );
  await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
  await waitFor(async () => (await detail()).status === 'sent');
}, 60_000);
afterAll(() => tracking?.stop());

const detail = () => tracking.request(getTrackedEmail, { service_id: email.service_id, email_id: email.email_id });
const send = (message: string | Buffer, change: { from?: string; to?: string | string[] } = {}) =>
  sendMail(tracking.smtpPort, { to: tracking.returnPath(email.email_id), message, ...change });

const ignored = (cause: string) => tracking.counter('postern_tracking_reports_ignored', `cause="${cause}"`);
const refused = (cause: string) => tracking.counter('postern_tracking_mail_refused', `cause="${cause}"`);

/** Expects that a counter increases by one, nothing is published and no recipient's state changes. */
async function changesNothing(code: number, counter: () => Promise<number>, mail: () => Promise<number>) {
  const before = await counter();
  await expect(mail()).resolves.toBe(code);
  await expect(counter()).resolves.toBe(before + 1);
  expect((await detail()).recipients.map(({ state }) => state)).toEqual(['handed_over', 'handed_over']);
  expect(tracking.eventsOf(email.email_id)).toEqual([]);
}

describe('Mail without effect is counted by its cause', () => {
  const path = (index = 0) => tracking.returnPath(email.email_id, index);

  it('a return path with a wrong signature', async () => {
    const last = path()[20] === 'a' ? 'b' : 'a';
    const forged = path().slice(0, 20) + last + path().slice(21);
    await changesNothing(
      550,
      () => ignored('forged_return_path'),
      () => send(notification(FAILED), { to: forged }),
    );
  });

  it('a return path signed with another secret', async () => {
    const guess = `b+${'a'.repeat(48)}@${BOUNCE_DOMAIN}`;
    await changesNothing(
      550,
      () => refused('unknown_mailbox'),
      () => send(notification(FAILED), { to: guess }),
    );
  });

  it('a notification without the null sender', () =>
    changesNothing(
      250,
      () => ignored('sender_not_null'),
      () => send(notification(FAILED), { from: 'eve@evil.test' }),
    ));

  it('a notification about a recipient other than that of its return path', () =>
    changesNothing(
      250,
      () => ignored('report_for_another_recipient'),
      () => send(notification({ ...FAILED, recipient: 'bob@x.test' })),
    ));

  it('a notification that is truncated within its recipient', () => {
    const whole = notification(FAILED);
    const truncated = whole.slice(0, whole.indexOf('ada@x.test') + 5);
    return changesNothing(
      250,
      () => ignored('unreadable_report'),
      () => send(truncated),
    );
  });

  it('a notification without any action', () =>
    changesNothing(
      250,
      () => ignored('unreadable_report'),
      () => send(notification({ ...FAILED, action: 'vanished' })),
    ));

  it('an automatic reply', () =>
    changesNothing(
      250,
      () => ignored('auto_reply'),
      () => send('Subject: away\r\nAuto-Submitted: auto-replied\r\n\r\nI am away: failed 5.1.1 ada@x.test\r\n'),
    ));

  it('a mail loop', () =>
    changesNothing(
      250,
      () => ignored('mail_loop'),
      () =>
        send(`${'Received: from a by b; Sun, 1 Mar 2026 12:00:00 +0000\r\n'.repeat(60)}Subject: round\r\n\r\nhi\r\n`),
    ));

  it('a message from a person', () =>
    changesNothing(
      250,
      () => ignored('no_report'),
      () => send('Subject: hello\r\n\r\nthanks\r\n', { from: 'a@x.test' }),
    ));

  it('bytes that are not a message', () =>
    changesNothing(
      250,
      () => ignored('no_report'),
      () => send(Buffer.from([0xff, 0xfe, 0, 1, 2, 0x80, 0x81])),
    ));

  it('a feedback report without a valid return path', () =>
    changesNothing(
      250,
      () => ignored('forged_return_path'),
      () => send(feedbackReport(`b+${'a'.repeat(48)}@${BOUNCE_DOMAIN}`), { to: `fbl@${BOUNCE_DOMAIN}` }),
    ));

  it('a feedback report that names several recipients’ return paths', () =>
    changesNothing(
      250,
      () => ignored('forged_return_path'),
      () =>
        send(feedbackReport('', { original: [path(0), path(1)].map(each => `Return-Path: <${each}>`) }), {
          to: `fbl@${BOUNCE_DOMAIN}`,
        }),
    ));

  it('a feedback report of the type "not-spam"', () =>
    changesNothing(
      250,
      () => ignored('not_a_complaint'),
      () => send(feedbackReport(path(), { type: 'not-spam' })),
    ));

  it('a message that is too big', () =>
    changesNothing(
      552,
      () => refused('too_big'),
      () => send(notification(FAILED) + 'x\r\n'.repeat(40_000)),
    ));

  it('mail for another domain', () =>
    changesNothing(
      550,
      () => refused('relaying'),
      () => send(notification(FAILED), { to: 'victim@elsewhere.test' }),
    ));

  it('mail for too many recipients', () =>
    changesNothing(
      452,
      () => refused('too_many_recipients'),
      () => send(notification(FAILED), { to: Array.from({ length: 6 }, () => tracking.returnPath(uuidv7())) }),
    ));

  it('a client that guesses return paths', async () => {
    const before = await refused('guessing');
    const conversation = await SmtpConversation.open(tracking.smtpPort);
    await conversation.send('MAIL FROM:<>');
    const codes = new Set<number>();
    for (let guess = 0; guess < 21; guess++)
      codes.add(await conversation.send(`RCPT TO:<b+${guess}@${BOUNCE_DOMAIN}>`));
    await conversation.disconnect();
    expect([...codes]).toEqual([550, 421]);
    await expect(refused('guessing')).resolves.toBe(before + 1);
  });

  it('a client with too many connections', async () => {
    const open = await Promise.all(Array.from({ length: 8 }, () => SmtpConversation.open(tracking.smtpPort)));
    const { conversation, code } = await SmtpConversation.greeting(tracking.smtpPort);
    expect(code).toBe(421);
    await Promise.all([conversation, ...open].map(each => each.disconnect()));
    await expect(refused('too_many_connections')).resolves.toBeGreaterThan(0);
  });
});

describe('The bounce listener', () => {
  it('closes the connection of an idle client', async () => {
    const conversation = await SmtpConversation.open(tracking.smtpPort);
    await expect(conversation.send('MAIL FROM:<>')).resolves.toBe(250);
    await expect(conversation.send('DATA')).resolves.toBeGreaterThanOrEqual(400);
    await expect(conversation.waitForClose()).resolves.toBe('closed');
  });

  it('discards a message whose sender disconnects', async () => {
    const conversation = await SmtpConversation.open(tracking.smtpPort);
    await conversation.send('MAIL FROM:<>');
    await conversation.send(`RCPT TO:<${tracking.returnPath(email.email_id)}>`);
    await conversation.send('DATA');
    await conversation.disconnect();
    expect((await detail()).recipients[0]?.state).toBe('handed_over');
  });

  it('reads a notification in any character set', async () => {
    const one = await another();
    const latin = Buffer.from(
      notification({ ...FAILED, charset: 'x-unknown-charset' }).replace('A report.', 'D\xe9sol\xe9'),
      'latin1',
    );
    await expect(send(latin, { to: tracking.returnPath(one.email_id) })).resolves.toBe(250);
    await tracking.event(emailBounced, one.email_id);
  });

  it('accepts only return paths at a customer domain that points to the bounce domain', async () => {
    const one = await another();
    const to = tracking.returnPath(one.email_id).replace(BOUNCE_DOMAIN, 'bounces.customer.test');
    await expect(send(notification(FAILED), { to })).resolves.toBe(250);
    await tracking.event(emailBounced, one.email_id);
    for (const localPart of ['fbl', 'postmaster', `b+${'a'.repeat(48)}`])
      await expect(send(notification(FAILED), { to: `${localPart}@bounces.customer.test` })).resolves.toBe(550);
  });

  it('accepts several return paths in one transaction, each for its own recipient', async () => {
    const one = await another();
    const two = await another();
    const to = [tracking.returnPath(one.email_id), tracking.returnPath(two.email_id).toUpperCase()];
    await expect(send(notification(), { to })).resolves.toBe(250);
    await tracking.event(emailDelivered, one.email_id);
    await tracking.event(emailDelivered, two.email_id);
  });

  it('does not acknowledge a message that is not durable, and accepts it when it is sent again', async () => {
    const one = await another();
    const deliver = () => send(notification(), { to: tracking.returnPath(one.email_id) });
    await tracking.postgres.kill();
    await expect(deliver()).resolves.toBe(451);
    await tracking.postgres.restart();
    await waitFor(async () => (await deliver()) === 250, {
      describe: 'the notification to be accepted',
      timeoutMs: 20_000,
    });
    await tracking.event(emailDelivered, one.email_id);
    expect(tracking.kinds(one.email_id)).toEqual(['delivered']);
  });

  it('accepts a notification over STARTTLS, with a self-signed certificate by default', async () => {
    const one = await another();
    const conversation = await SmtpConversation.open(tracking.smtpPort);
    const { subjectaltname } = await conversation.startTls();
    expect(subjectaltname).toBe(`DNS:${BOUNCE_DOMAIN}`);
    await expect(conversation.sendMessage('', [tracking.returnPath(one.email_id)], notification())).resolves.toBe(250);
    await conversation.quit();
    await tracking.event(emailDelivered, one.email_id);
  });

  it('closes connections that never finish the handshake, and frees their limit', async () => {
    for (let round = 0; round < 9; round++) {
      const conversation = await SmtpConversation.open(tracking.smtpPort);
      await expect(conversation.send('STARTTLS')).resolves.toBe(220);
      if (round === 0) await expect(conversation.waitForClose()).resolves.toBe('closed');
      else await expect(conversation.send('GET / HTTP/1.1')).resolves.toBe(0);
    }
    const { conversation, code } = await SmtpConversation.greeting(tracking.smtpPort);
    expect(code).toBe(220);
    await conversation.disconnect();
  });

  async function another() {
    const one = anEmail({ email_id: uuidv7() });
    await tracking.publish([emailAccepted, one], [emailHandedOver, handOverOf(one)]);
    return one;
  }
});
