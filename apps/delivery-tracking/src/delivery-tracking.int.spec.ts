import { afterAll, describe, expect, it } from '@jest/globals';
import {
  emailAccepted,
  emailBounced,
  emailClicked,
  emailComplained,
  emailCopyRetried,
  emailDelivered,
  emailHandedOver,
  emailInterrupted,
  emailOpened,
  getEmailStats,
  getTrackedEmail,
  liftSuppression,
  listEmails,
  listSuppressedAddresses,
  recordClick,
  recordOpen,
} from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { feedbackReport, notification } from './testing/example-reports.js';
import { BROWSER } from './testing/example-signals.js';
import { anEmail, BOUNCE_DOMAIN, handOverOf, RunningTracking } from './testing/running-tracking.js';
import { sendMail } from './testing/smtp-conversation.js';

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

const detailOf = ({ service_id, email_id }: ReturnType<typeof anEmail>) =>
  tracking.request(getTrackedEmail, { service_id, email_id });

const tracked = async (email = anEmail(), handOver = handOverOf(email)) => {
  await tracking.publish([emailAccepted, email], [emailHandedOver, handOver]);
  await waitFor(async () => (await detailOf(email)).status !== 'accepted', { describe: 'the hand-over to be known' });
  return email;
};

const report = (email: ReturnType<typeof anEmail>, message: string, index = 0) =>
  sendMail(tracking.smtpPort, { to: tracking.returnPath(email.email_id, index), message });

const seen = (email: ReturnType<typeof anEmail>, userAgent = BROWSER) => ({
  email_id: email.email_id,
  recipient_index: 0,
  user_agent: userAgent,
  ip: '192.0.2.7',
  at: new Date().toISOString(),
});

describe('A message', () => {
  it('is delivered when a notification reports it', async () => {
    const email = await tracked();
    await expect(report(email, notification({ diagnostic: '250 2.0.0 OK 1234' }))).resolves.toBe(250);
    await expect(tracking.event(emailDelivered, email.email_id)).resolves.toMatchObject({
      service_id: email.service_id,
      to: 'ada@x.test',
      from: email.from,
      subject: email.subject,
      data: { smtp_response: '250 2.0.0 OK 1234' },
    });
    const detail = await detailOf(email);
    expect(detail.recipients).toEqual([expect.objectContaining({ state: 'delivered', reason: null })]);
    expect(detail.timeline.map(({ kind }) => kind)).toEqual(['accepted', 'handed_over', 'delivered']);
  });

  it('bounces hard, and its address is suppressed until its owner removes it', async () => {
    const email = await tracked();
    await report(email, notification({ action: 'failed', status: '5.1.1', diagnostic: '550 5.1.1 no such user' }));
    await expect(tracking.event(emailBounced, email.email_id)).resolves.toMatchObject({
      data: { bounce_type: 'hard', reason: '550 5.1.1 no such user' },
    });
    const { service_id } = email;
    const list = () => tracking.request(listSuppressedAddresses, { service_id });
    await waitFor(async () => (await list()).total === 1, { describe: 'the address to be listed' });
    expect((await list()).items).toEqual([
      { address: 'ada@x.test', reason: 'hard_bounce', email_id: email.email_id, at: expect.any(String) },
    ]);
    await tracking.request(liftSuppression, { service_id, address: 'Ada@x.test' });
    expect((await list()).items).toEqual([]);
    await expect(tracking.request(liftSuppression, { service_id, address: 'ada@x.test' })).rejects.toMatchObject({
      code: 'suppression_not_found',
    });
  });

  it('gets a complaint from a report with its return path', async () => {
    const email = await tracked();
    const code = await sendMail(tracking.smtpPort, {
      from: 'reports@x.test',
      to: `fbl@${BOUNCE_DOMAIN}`,
      message: feedbackReport(tracking.returnPath(email.email_id)),
    });
    expect(code).toBe(250);
    await expect(tracking.event(emailComplained, email.email_id)).resolves.toMatchObject({
      to: 'ada@x.test',
      data: { source: 'abuse FeedbackLoop/1' },
    });
  });

  it('gets a complaint from a report whose attached original has its return path', async () => {
    const email = await tracked();
    const original = [`Return-Path: <${tracking.returnPath(email.email_id)}>`, 'Subject: Your receipt'];
    await sendMail(tracking.smtpPort, { to: `fbl@${BOUNCE_DOMAIN}`, message: feedbackReport('', { original }) });
    await expect(tracking.event(emailComplained, email.email_id)).resolves.toMatchObject({ to: 'ada@x.test' });
  });

  it('bounces for a recipient that the relay rejected, and is delivered to the other', async () => {
    const email = anEmail({
      recipients: [
        { index: 0, address: 'ada@x.test', role: 'to' },
        { index: 1, address: 'bob@x.test', role: 'bcc' },
      ],
    });
    const handOver = handOverOf(email);
    handOver.outcomes[1] = { ...handOver.outcomes[1]!, result: 'refused', smtp_response: '550 5.1.1 unknown' };
    await tracking.publish([emailAccepted, email], [emailHandedOver, handOver]);
    await expect(tracking.event(emailBounced, email.email_id)).resolves.toMatchObject({
      to: 'bob@x.test',
      data: { bounce_type: 'hard', reason: '550 5.1.1 unknown' },
    });
    await report(email, notification());
    await tracking.event(emailDelivered, email.email_id);
    expect((await detailOf(email)).recipients.map(({ state }) => state)).toEqual(['delivered', 'bounced']);
  });

  it('is delayed in the timeline only', async () => {
    const email = await tracked();
    await report(email, notification({ action: 'delayed', status: '4.4.1', diagnostic: '451 later' }));
    const { recipients, timeline } = await detailOf(email);
    expect(recipients[0]?.state).toBe('handed_over');
    expect(timeline.at(-1)).toMatchObject({ kind: 'delayed', recipient: 'ada@x.test', detail: '451 later' });
    expect(tracking.kinds(email.email_id)).toEqual([]);
  });

  it('can bounce after it was delivered', async () => {
    const email = await tracked();
    await report(email, notification());
    await report(email, notification({ action: 'failed', status: '5.2.2', diagnostic: '552 5.2.2 full' }));
    await expect(tracking.event(emailBounced, email.email_id)).resolves.toMatchObject({
      data: { bounce_type: 'soft' },
    });
    expect(tracking.kinds(email.email_id)).toEqual(['delivered', 'bounced']);
  });

  it('can be delivered although it was interrupted', async () => {
    const email = anEmail();
    await tracking.publish(
      [emailAccepted, email],
      [emailInterrupted, { email_id: email.email_id, service_id: email.service_id, at: new Date().toISOString() }],
    );
    await waitFor(async () => (await detailOf(email)).status === 'failed');
    expect((await detailOf(email)).recipients[0]).toMatchObject({ state: 'unknown', reason: /interrupted/ });
    await report(email, notification());
    await tracking.event(emailDelivered, email.email_id);
    const { service_id } = email;
    await waitFor(async () => (await tracking.request(listEmails, { service_id, result: 'sent' })).total === 1);
    expect(await tracking.request(listEmails, { service_id, result: 'unknown' })).toMatchObject({ total: 0 });
    const detail = await detailOf(email);
    expect(detail).toMatchObject({
      status: 'sent',
      result: 'sent',
      recipients: [{ state: 'delivered', result: 'sent' }],
    });
    expect(detail.timeline.map(({ kind }) => kind)).toEqual(['accepted', 'interrupted', 'handed_over', 'delivered']);
  });

  it('is opened and clicked, by people and by machines', async () => {
    const email = await tracked();
    await tracking.request(recordOpen, seen(email, 'Mozilla/5.0'));
    await tracking.request(recordOpen, seen(email));
    await tracking.request(recordClick, { ...seen(email), url: 'https://example.com/a' });
    await expect(tracking.event(emailClicked, email.email_id)).resolves.toMatchObject({
      data: { url: 'https://example.com/a' },
    });
    await tracking.event(emailOpened, email.email_id);
    expect(tracking.eventsOf(email.email_id).map(({ data }) => (data as { data: object }).data)).toEqual([
      expect.objectContaining({ user_agent: 'Mozilla/5.0', machine: true }),
      { user_agent: BROWSER, ip: '192.0.2.7' },
      { url: 'https://example.com/a' },
    ]);
  });
});

describe('Signals in any order', () => {
  it('wait for their email', async () => {
    const email = anEmail();
    await tracking.request(recordOpen, seen(email));
    await expect(report(email, notification())).resolves.toBe(250);
    await tracking.publish([emailHandedOver, handOverOf(email)]);
    await tracking.publish([emailAccepted, email]);
    await tracking.event(emailDelivered, email.email_id);
    await tracking.event(emailOpened, email.email_id);
    expect((await detailOf(email)).recipients[0]).toMatchObject({ state: 'delivered', opened_at: expect.any(String) });
  });

  it('have no effect when repeated', async () => {
    const email = await tracked();
    await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email, { relay_is_final: true })]);
    await report(email, notification());
    await report(email, notification({ action: 'relayed' }));
    const retry = { email_id: email.email_id, service_id: email.service_id, outcome: handOverOf(email).outcomes[0]! };
    await tracking.publish([emailCopyRetried, retry]);
    await waitFor(async () => (await detailOf(email)).timeline.length === 4);
    expect((await detailOf(email)).timeline.map(({ kind }) => kind)).toEqual([
      'accepted',
      'handed_over',
      'delivered',
      'handed_over',
    ]);
    expect(tracking.kinds(email.email_id)).toEqual(['delivered']);
  });
});

describe('The API', () => {
  it('finds messages by address, subject and state, newest first, page by page', async () => {
    const email = anEmail();
    const { service_id } = email;
    const others = [1, 2, 3].map(hour =>
      anEmail({
        service_id,
        subject: `No. ${hour} 100%`,
        accepted_at: new Date(Date.now() - hour * 3_600_000).toISOString(),
      }),
    );
    await tracking.publish(...[email, ...others].map((one): [typeof emailAccepted, object] => [emailAccepted, one]));
    await tracking.publish([emailHandedOver, handOverOf(email, { result: 'refused', smtp_response: '550 5.1.1 no' })]);
    const ids = async (filter: object) =>
      (await tracking.request(listEmails, { service_id, ...filter })).items.map(({ id }) => id);
    await waitFor(async () => (await ids({ state: 'bounced' })).length === 1 && (await ids({})).length === 4);
    const all = [email, ...others].map(({ email_id }) => email_id);
    expect(await ids({})).toEqual(all);
    expect(await ids({ limit: 2, offset: 1 })).toEqual(all.slice(1, 3));
    expect(await ids({ search: 'ADA@X' })).toEqual(all);
    expect(await ids({ search: '2 100%' })).toEqual([all[2]]);
    expect(await ids({ search: '%' })).toEqual(all.slice(1));
    expect(await ids({ state: 'pending' })).toEqual(all.slice(1));
    expect(await ids({ from: others[0]!.accepted_at })).toEqual(all.slice(0, 2));
    expect((await tracking.request(listEmails, { service_id, limit: 1 })).total).toBe(4);
  });

  it('does not show messages of other services', async () => {
    const email = await tracked();
    const foreign = { ...email, service_id: anEmail().service_id };
    await expect(detailOf(foreign)).rejects.toMatchObject({ code: 'email_not_found' });
    await expect(tracking.request(listEmails, { service_id: foreign.service_id })).resolves.toMatchObject({
      total: 0,
    });
  });

  it('counts per day, without machines and without mail to the simulator', async () => {
    const email = await tracked();
    const { service_id } = email;
    const simulated = await tracked(anEmail({ service_id, counts: false }));
    const refused = anEmail({ service_id });
    await tracked(refused, handOverOf(refused, { result: 'refused', smtp_response: '550 5.1.1 no' }, 'failed'));
    await report(email, notification());
    await report(simulated, notification());
    await tracking.request(recordOpen, seen(email));
    await tracking.request(recordOpen, seen(email, 'Mozilla/5.0'));
    await tracking.request(recordOpen, seen(simulated));
    await tracking.request(recordClick, { ...seen(email, 'Slackbot 1.0'), url: 'https://example.com/' });
    const today = new Date().toISOString().slice(0, 10);
    const stats = () => tracking.request(getEmailStats, { service_id, from: today, to: today });
    await waitFor(async () => (await stats()).total.machine_clicks === 1, { describe: 'the counts to be up to date' });
    await expect(stats()).resolves.toEqual({
      total: {
        accepted: 2,
        sent: 1,
        failed: 1,
        unknown: 0,
        retry_requested: 0,
        delivered: 1,
        bounced_hard: 1,
        bounced_soft: 0,
        complained: 0,
        opened: 1,
        clicked: 0,
        machine_opens: 1,
        machine_clicks: 1,
      },
      rates: { delivered: 0.5, bounced: 0.5, complained: 0, opened: 1, clicked: 0 },
      days: [expect.objectContaining({ date: today, accepted: 2 })],
    });
    await expect(
      tracking.request(getEmailStats, { service_id, from: today, to: today, simulator: 'include' }),
    ).resolves.toMatchObject({
      total: { accepted: 3, sent: 2, delivered: 2, bounced_hard: 1, opened: 2, machine_opens: 1 },
      days: [expect.objectContaining({ date: today, accepted: 3 })],
    });
    await expect(
      tracking.request(getEmailStats, { service_id, from: '2026-02-02', to: '2026-02-01' }),
    ).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
