import { afterAll, expect, it } from '@jest/globals';
import { emailAccepted, emailHandedOver, listEmails, listSenderProblems } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

it('Messages that left from the sandbox sender today are a problem of their service, and are found by it', async () => {
  const { service_id } = anEmail();
  const now = new Date().toISOString();
  const old = new Date(Date.now() - 2 * 86_400_000).toISOString();
  const fallback = { service_id, mode: 'sandbox_fallback' as const };
  const emails = [
    anEmail({ ...fallback, accepted_at: now }),
    anEmail({ ...fallback, accepted_at: now }),
    anEmail({ ...fallback, accepted_at: old }),
    anEmail({ service_id, mode: 'production', accepted_at: now }),
  ];
  for (const email of emails) await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
  const found = (mode?: 'sandbox_fallback' | 'production') =>
    tracking.request(listEmails, { service_id, ...(mode ? { mode } : {}) });
  await waitFor(async () => (await found()).total === 4);
  expect((await found('sandbox_fallback')).total).toBe(3);
  expect((await found('production')).items.map(({ id }) => id)).toEqual([emails[3]!.email_id]);

  const services = [{ id: service_id, name: 'Shop' }];
  expect((await tracking.request(listSenderProblems, { services })).problems).toEqual([
    {
      kind: 'sandbox_sender_used',
      severity: 'warning',
      message:
        '2 messages of “Shop” left from the sandbox sender in the last 24 hours, because the domain of the sender is not verified.',
      fix: expect.any(String),
      page: `/services/${service_id}/messages?mode=sandbox_fallback`,
      resource: { type: 'email_service', id: service_id, name: 'Shop' },
      since: now,
    },
  ]);
  const other = [{ id: anEmail().service_id, name: 'Blog' }];
  expect((await tracking.request(listSenderProblems, { services: other })).problems).toEqual([]);
});
