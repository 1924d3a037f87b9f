import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from '@jest/globals';
import {
  emailAccepted,
  emailBounced,
  emailHandedOver,
  emailServiceDeleted,
  listEmails,
  listSuppressedAddresses,
  serviceTrackingEnded,
} from '@postern/contracts';
import { Database } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';
import { DeletedServiceData } from './deleted-service-data.js';

/** The events about the deletion, without personal data. */
const LEFT = ['delivery-tracking.service-data-deleted.v1', 'delivery-tracking.service-tracking-ended.v1'].map(type => ({
  type,
}));

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

const pool = () => tracking.service.app.get(Database, { strict: false }).pool;

const bounced = async (service_id: string = randomUUID()) => {
  const email = anEmail({ service_id });
  const refused = handOverOf(email, { result: 'refused', smtp_response: '550 5.1.1 no such user' }, 'failed');
  await tracking.publish([emailAccepted, email], [emailHandedOver, refused]);
  await tracking.event(emailBounced, email.email_id);
  return email;
};

const emailsOf = async (service_id: string) => {
  await tracking.caughtUp();
  return (await tracking.request(listEmails, { service_id, limit: 10, offset: 0 })).items.map(({ id }) => id);
};

const passNow = async () => {
  await pool().query('UPDATE event_store.deleted_owners SET due_at = now() WHERE due_at IS NOT NULL');
  await tracking.service.app.get(DeletedServiceData, { strict: false }).run(new AbortController());
};

const deleted = async (service_id: string) => {
  const at = new Date().toISOString();
  await tracking.publish([emailServiceDeleted, { service_id, workspace_id: randomUUID(), at }]);
  const recorded = async () =>
    (await pool().query('SELECT 1 FROM event_store.deleted_owners WHERE owner = $1', [service_id])).rowCount === 1;
  await waitFor(recorded, { describe: 'the deletion to arrive' });
};

it('A deleted email service leaves no data about its messages, and data that arrives late is deleted too', async () => {
  const kept = await bounced();
  const email = await bounced();
  const { service_id } = email;
  expect(await emailsOf(service_id)).toEqual([email.email_id]);
  await deleted(service_id);
  await passNow();

  expect(await emailsOf(service_id)).toEqual([]);
  expect((await tracking.request(listSuppressedAddresses, { service_id })).items).toEqual([]);
  const left = async () =>
    (
      await pool().query('SELECT DISTINCT type FROM event_store.events WHERE data::text LIKE $1 ORDER BY 1', [
        `%${service_id}%`,
      ])
    ).rows;
  expect(await left()).toEqual(LEFT);
  const { rows } = await pool().query(
    'SELECT 1 FROM daily_email_counts WHERE service_id = $1 UNION ALL SELECT 1 FROM bounce_notices WHERE email_id = $2',
    [service_id, email.email_id],
  );
  expect(rows).toEqual([]);
  expect(await emailsOf(kept.service_id)).toEqual([kept.email_id]);

  const late = await bounced(service_id);
  expect(await emailsOf(service_id)).toEqual([late.email_id]);
  await passNow();
  expect(await emailsOf(service_id)).toEqual([]);
  expect(await left()).toEqual(LEFT);
});

it('The deletion of an email service is published when it arrives, and again after each pass', async () => {
  const service_id = randomUUID();
  const published = () =>
    tracking.published.filter(
      ({ type, data }) =>
        type === serviceTrackingEnded.type && (data as { service_id: string }).service_id === service_id,
    ).length;
  await deleted(service_id);
  await waitFor(() => published() === 1, { describe: 'the event' });
  await passNow();
  await waitFor(() => published() === 2, { describe: 'the event after the pass' });
});
