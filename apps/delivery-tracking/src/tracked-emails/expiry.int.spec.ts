import { afterAll, describe, expect, it } from '@jest/globals';
import { emailAccepted, emailDelivered, emailHandedOver, getTrackedEmail, listEmails } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { notification } from '../testing/example-reports.js';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';
import { sendMail } from '../testing/smtp-conversation.js';

const tracking = await RunningTracking.start({
  POSTERN_NOTIFICATION_PATIENCE_MS: '60000',
  POSTERN_SIGNAL_PATIENCE_MS: '400',
});
afterAll(() => tracking.stop());

describe('Waiting ends', () => {
  it('shows a recipient as unknown when no notification arrives in time, and still accepts a late one', async () => {
    const email = anEmail({ accepted_at: new Date(Date.now() - 120_000).toISOString() });
    const { service_id, email_id } = email;
    await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
    await waitFor(async () => (await tracking.request(listEmails, { service_id, state: 'unknown' })).total === 1);
    const { recipients, timeline } = await tracking.request(getTrackedEmail, { service_id, email_id });
    expect(recipients[0]).toMatchObject({
      state: 'unknown',
      reason: expect.stringContaining('no delivery notification arrived'),
    });
    expect(timeline.at(-1)).toMatchObject({ kind: 'unknown', recipient: 'ada@x.test' });
    expect(tracking.kinds(email_id)).toEqual([]);

    await sendMail(tracking.smtpPort, { to: tracking.returnPath(email_id), message: notification() });
    await tracking.event(emailDelivered, email_id);
    await waitFor(async () => (await tracking.request(listEmails, { service_id, state: 'delivered' })).total === 1);
  });

  it('drops a signal whose email never becomes known, and counts it', async () => {
    const code = await sendMail(tracking.smtpPort, {
      to: tracking.returnPath(anEmail().email_id),
      message: notification(),
    });
    expect(code).toBe(250);
    await waitFor(async () => (await tracking.counter('postern_tracking_signals_dropped', 'kind="notified"')) === 1, {
      describe: 'the signal to be dropped',
    });
  });
});
