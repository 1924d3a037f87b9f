import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  emailAccepted,
  emailBounced,
  emailHandedOver,
  getEmailStats,
  getTrackedEmail,
  listEmails,
  listSuppressedAddresses,
} from '@postern/contracts';
import { PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';
import { trackedEmails } from '../tracked-emails/tracked-emails.projection.js';
import { RemoveOldMessages } from './remove-old-messages.js';

const DAY_MS = 86_400_000;
const PERIOD_DAYS = 40;
const START = Date.now() - 4 * PERIOD_DAYS * DAY_MS;

const tracking = await RunningTracking.start({ POSTERN_MESSAGE_RETENTION_DAYS: String(PERIOD_DAYS) });
afterAll(() => tracking.stop());

const service_id = randomUUID();
const atDay = (day: number) => new Date(START + day * DAY_MS);

/** Messages of one day: one of two is refused for good. */
const publish = async (day: number, count: number) => {
  const at = atDay(day);
  const emails = Array.from({ length: count }, (_, number) =>
    anEmail({
      email_id: uuidv7({ msecs: at.getTime() + number }),
      service_id,
      accepted_at: at.toISOString(),
      recipients: [
        { index: 0, address: `user${number}@x.test`, role: 'to' },
        { index: 1, address: `copy${number}@x.test`, role: 'cc' },
      ],
    }),
  );
  for (const [number, email] of emails.entries()) {
    const outcome = number % 2 ? { result: 'refused' as const, smtp_response: '550 5.1.1 no such user' } : {};
    await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email, outcome)]);
  }
  for (const email of emails.filter((_, number) => number % 2)) await tracking.event(emailBounced, email.email_id);
  await waitFor(async () => (await listed()).length >= count);
  await tracking.caughtUp();
  return emails.map(({ email_id }) => email_id);
};

const listed = async () => (await tracking.request(listEmails, { service_id, limit: 100 })).items.map(({ id }) => id);

const removeAt = (day: number) =>
  tracking.part(RemoveOldMessages).run({ now: atDay(day), signal: new AbortController().signal });

/** Runs the job until its readers, this specification among them, have read what is removed. */
const removedAt = (day: number, left: number) =>
  waitFor(
    async () => {
      await removeAt(day);
      return (await listed()).length === left;
    },
    { timeoutMs: 20_000, describe: 'old messages to be removed' },
  );

const stats = async () =>
  (
    await tracking.request(getEmailStats, {
      service_id,
      from: atDay(0).toISOString().slice(0, 10),
      to: atDay(3 * PERIOD_DAYS)
        .toISOString()
        .slice(0, 10),
    })
  ).total;

const rowsOf = async (text: string) =>
  Number((await tracking.part(Database).pool.query<{ n: string }>(text)).rows[0]?.n);

describe('Messages whose retention is over', () => {
  it('are removed in each of three periods, and their counts are kept', async () => {
    const kept: string[][] = [];
    for (const period of [0, 1, 2]) {
      const ids = await publish(period * PERIOD_DAYS, 6);
      kept.push(ids);
      const before = await stats();
      await removedAt(period * PERIOD_DAYS + 1, 6);
      expect((await listed()).sort()).toEqual([...ids].sort());
      expect(await stats()).toEqual(before);
      expect(before.accepted).toBe((period + 1) * 12);
      expect(await tracking.request(listEmails, { service_id })).toMatchObject({ total: 6 });
    }
    expect(
      await rowsOf(
        "SELECT count(*) AS n FROM event_store.events WHERE stream_id LIKE 'tracked-email-%' AND version = 1",
      ),
    ).toBe(6);
    expect(await rowsOf('SELECT count(*) AS n FROM tracked_other_recipients')).toBe(6);
    await expect(tracking.request(getTrackedEmail, { service_id, email_id: kept[0]![0]! })).rejects.toMatchObject({
      code: 'email_not_found',
    });
  });

  it('stay removed and counted when the read model is rebuilt', async () => {
    const before = await stats();
    await tracking
      .part(Database)
      .pool.query("UPDATE event_store.projections SET version = 1 WHERE name = 'tracked-emails'");
    const runner = new ProjectionRunner({ store: tracking.part(PostgresEventStore), projections: [trackedEmails] });
    await runner.start();
    await waitFor(async () => (await runner.status())[0]?.version === trackedEmails.version, {
      describe: 'the read model to be rebuilt',
    });
    await runner.stop();
    expect(await listed()).toHaveLength(6);
    expect(await stats()).toEqual(before);
  });

  it('leave the suppressions that they caused', async () => {
    const { items } = await tracking.request(listSuppressedAddresses, { service_id, limit: 100, offset: 0 });
    expect(items.map(({ address }) => address).sort()).toContain('user1@x.test');
  });

  it('are kept while a consumer has not read their events', async () => {
    await publish(3 * PERIOD_DAYS, 2);
    const { pool } = tracking.part(Database);
    await pool.query(`INSERT INTO event_store.readers (reader, epoch, txid, pos)
      SELECT 'slow', epoch, '0', 0 FROM event_store.logs ORDER BY number DESC LIMIT 1`);
    await removeAt(3 * PERIOD_DAYS + 1);
    expect(await listed()).toHaveLength(8);
    await pool.query("UPDATE event_store.readers SET asked_at = now() - interval '8 days' WHERE reader = 'slow'");
    await removedAt(3 * PERIOD_DAYS + 1, 2);
  });
});
