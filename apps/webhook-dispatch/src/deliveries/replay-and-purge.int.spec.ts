import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { QueueFixture, resultOf } from '../testing/queue-fixture.js';
import type { DueDelivery } from './ports.js';

const fixture = await QueueFixture.start();
afterAll(() => fixture.stop());
beforeEach(() => fixture.clear());

describe('a replay of missed deliveries', () => {
  it('runs in batches, and replays each missed delivery once', async () => {
    const webhookId = await fixture.endpoint();
    await fixture.pool.query(
      `INSERT INTO deliveries (id, webhook_id, event_id, payload, state, created_at)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), '{}', (ARRAY['held', 'refused', 'dropped'])[1 + n % 3],
         now() - interval '1 h' * (n / 500)
       FROM generate_series(0, 2499) AS n`,
      [webhookId],
    );
    const since = new Date(Date.now() - 3.5 * 3_600_000);
    expect(await fixture.queue.replayMissed(webhookId, since)).toBe(2_000);
    expect(await fixture.queue.replayMissed(webhookId, since)).toBe(0);
    expect(await fixture.queue.replayMissed(webhookId, new Date(0))).toBe(500);
    const { rows } = await fixture.pool.query(
      `SELECT count(*)::int AS replays, count(DISTINCT replay_of)::int AS originals, count(DISTINCT id)::int AS ids,
         count(DISTINCT xmin::text)::int AS transactions
       FROM deliveries WHERE replay_of IS NOT NULL AND state = 'pending'`,
    );
    expect(rows).toEqual([{ replays: 2_500, originals: 2_500, ids: 2_500, transactions: 3 }]);
  });
});

describe('a purge', () => {
  it('deletes old finished deliveries with their attempts, and keeps pending ones', async () => {
    const webhookId = await fixture.endpoint();
    await fixture.due(webhookId, 3);
    const [old, retried] = (await fixture.read(2)) as [DueDelivery, DueDelivery];
    await Promise.all([fixture.queue.record(resultOf(old, 200)), fixture.queue.record(resultOf(retried, 503))]);
    // The ids begin with the time of creation.
    await fixture.pool.query(`UPDATE attempts SET delivery_id = overlay(delivery_id::text PLACING '0190' FROM 1)::uuid;
      UPDATE deliveries SET id = overlay(id::text PLACING '0190' FROM 1)::uuid, finished_at = finished_at - interval '40 days'`);
    expect(await fixture.queue.purgeFinishedBefore(new Date(Date.now() - 30 * 24 * 3_600_000))).toBe(1);
    expect((await fixture.listOf(webhookId, 10)).total).toBe(2);
    expect((await fixture.pool.query('SELECT delivery_id FROM attempts')).rows).toEqual([
      { delivery_id: retried.id.replace(/^.{4}/, '0190') },
    ]);
  });

  it('runs in batches, so that no long transaction delays the event feed', async () => {
    const webhookId = await fixture.endpoint();
    await fixture.pool.query(
      `INSERT INTO deliveries (id, webhook_id, event_id, payload, state, created_at, finished_at)
       SELECT overlay(gen_random_uuid()::text PLACING '0190' FROM 1)::uuid, $1, NULL, '{}', 'accepted', now() - interval '40 days', now() - interval '40 days'
       FROM generate_series(1, 2500)`,
      [webhookId],
    );
    await fixture.pool.query(`
      CREATE TABLE purged (txid xid8 DEFAULT pg_current_xact_id());
      CREATE FUNCTION note_purged() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO purged DEFAULT VALUES; RETURN OLD; END $$;
      CREATE TRIGGER noted BEFORE DELETE ON deliveries FOR EACH ROW EXECUTE FUNCTION note_purged()`);
    try {
      expect(await fixture.queue.purgeFinishedBefore(new Date(Date.now() - 30 * 24 * 3_600_000))).toBe(2_500);
      const { rows } = await fixture.pool.query('SELECT count(*)::int AS rows FROM purged GROUP BY txid ORDER BY 1');
      expect(rows).toEqual([{ rows: 500 }, { rows: 1_000 }, { rows: 1_000 }]);
    } finally {
      await fixture.pool.query('DROP TRIGGER noted ON deliveries; DROP FUNCTION note_purged; DROP TABLE purged');
    }
  });
});
