import { afterAll, describe, expect, it } from '@jest/globals';
import {
  emailAccepted,
  emailBounced,
  emailComplained,
  emailHandedOver,
  getTrackedEmail,
  reclassifyBounces,
  suppressionLifted,
} from '@postern/contracts';
import { Database } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import { anEmail, BOUNCE_DOMAIN, handOverOf, RunningTracking } from '../testing/running-tracking.js';
import { sendMail } from '../testing/smtp-conversation.js';

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

type Email = ReturnType<typeof anEmail>;

async function sent(): Promise<Email> {
  const email = anEmail();
  await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
  await waitFor(async () => (await timeline(email).catch(() => [])).length > 1, { timeoutMs: 20_000 });
  return email;
}

const liftedFor = ({ service_id }: Email) =>
  tracking.published.some(
    ({ type, data }) => type === suppressionLifted.type && (data as { service_id?: string }).service_id === service_id,
  );
const timeline = async ({ service_id, email_id }: Email) =>
  (await tracking.request(getTrackedEmail, { service_id, email_id })).timeline;
const notify = ({ email_id }: Email, message: string) =>
  sendMail(tracking.smtpPort, { to: tracking.returnPath(email_id), message: message.replaceAll('\n', '\r\n') });
const complain = (message: string) =>
  sendMail(tracking.smtpPort, { to: `fbl@${BOUNCE_DOMAIN}`, message: message.replaceAll('\n', '\r\n') });

const EXIM = (words: string, address = 'ada@x.test') => `From: Mail Delivery System <Mailer-Daemon@mx.test>
Subject: Mail delivery failed: returning message to sender
Auto-Submitted: auto-replied
X-Failed-Recipients: ${address}

This is a permanent error. The following address(es) failed:

  ${address}
    host mail.x.test [192.0.2.9]
    SMTP error from remote mail server after RCPT TO:<${address}>:
    ${words}
`;

describe('A notice in a proprietary format', () => {
  it('is a bounce with the response of the server, the rule and advice', async () => {
    const email = await sent();
    await expect(notify(email, EXIM('550 5.1.1 no such user'))).resolves.toBe(250);
    const { data, classification } = await tracking.event(emailBounced, email.email_id);
    expect(data).toEqual({ bounce_type: 'hard', reason: '550 5.1.1 no such user' });
    expect(classification).toMatchObject({ name: 'unknown_user', rule: 'code.1.1' });
    const entry = (await timeline(email)).find(({ kind }) => kind === 'bounced');
    expect(entry).toMatchObject({ rule: 'code.1.1', advice: expect.stringMatching(/does not exist/) });
  });

  it('is a soft bounce that names the forwarded address', async () => {
    const email = await sent();
    await notify(email, EXIM('550 5.1.1 no such user', 'ada@forward.test'));
    expect((await tracking.event(emailBounced, email.email_id)).data).toEqual({
      bounce_type: 'soft',
      reason: 'ada@forward.test: 550 5.1.1 no such user',
    });
  });

  it('appears in the timeline without control characters if it is not understood', async () => {
    const email = await sent();
    await notify(email, 'From: gate@x.test\nSubject: Notice 4711\n\nPlease\x07 call us.\n');
    expect((await timeline(email)).at(-1)).toMatchObject({
      kind: 'notice_not_understood',
      recipient: 'ada@x.test',
      detail: 'Notice 4711: Please call us.',
    });
    expect(tracking.eventsOf(email.email_id)).toEqual([]);
  });
});

describe('A complaint', () => {
  const arf = (original: string) => `From: fbl@mail.test
Content-Type: multipart/report; report-type=feedback-report; boundary=b

--b
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: Loop/1
Version: 1

--b
Content-Type: message/rfc822

${original}

--b--
`;

  it('is matched by the id of the copy in the returned message', async () => {
    const email = await sent();
    const copyId = tracking.tokens.copyId(email.email_id, 0);
    await complain(arf(`From: shop@example.com\nX-Postern-Id: ${copyId}\nSubject: Hi\n\nThanks.`));
    expect((await tracking.event(emailComplained, email.email_id)).to).toBe('ada@x.test');
  });

  it('is matched by the Message-ID in the format of Microsoft', async () => {
    const email = await sent();
    await complain(`From: staff@hotmail.com
Subject: complaint about message from 192.0.2.1
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: message/rfc822

X-HmXmrOriginalRecipient: ada@x.test
Message-ID: <${tracking.tokens.copyId(email.email_id)}@example.com>
Subject: Hi

Thanks.

--b--
`);
    const { data } = await tracking.event(emailComplained, email.email_id);
    expect(data.source).toBe('abuse Microsoft-JMRP');
  });

  it('with a forged id changes nothing and is counted', async () => {
    const email = await sent();
    const forged = tracking.tokens.copyId(email.email_id, 0).replace(/[a-z2-7]{3}$/, 'aaa');
    const count = () => tracking.counter('postern_tracking_reports_ignored', 'cause="forged_copy_id"');
    const before = await count();
    await complain(arf(`X-Postern-Id: ${forged}\nSubject: Hi\n\nThanks.`));
    await expect(count()).resolves.toBe(before + 1);
    expect(tracking.eventsOf(email.email_id)).toEqual([]);
  });
});

describe('Better rules', () => {
  it('reclassify a stored notice, publish the changed type, and end its suppression', async () => {
    const email = await sent();
    await notify(email, EXIM('550 5.1.1 no such user'));
    await tracking.event(emailBounced, email.email_id);
    const { pool } = tracking.service.app.get(Database, { strict: false });
    // Simulates rules of an earlier release that classified a reputation response as an unknown user.
    await pool.query(
      `UPDATE bounce_notices SET rules_version = 0, evidence = evidence || '{"text": "550 5.1.1 listed at spamhaus"}'
       WHERE email_id = $1`,
      [email.email_id],
    );
    const reply = await tracking.request(reclassifyBounces, {});
    expect(reply).toMatchObject({ read: 1, changed: 1, next_after_id: null });
    await waitFor(() => tracking.kinds(email.email_id).filter(kind => kind === 'bounced').length === 2);
    await waitFor(() => liftedFor(email));
    await expect(tracking.request(reclassifyBounces, {})).resolves.toMatchObject({ changed: 0 });
  });
});
