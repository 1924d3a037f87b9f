import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { emailAccepted, emailHandedOver } from '@postern/contracts';
import { latestPosition, PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { type DatabaseCosts, databaseCosts, startPostgres, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { NoSignalMetrics } from '../testing/in-memory-tracking-transactions.js';
import { migratedDatabase } from '../testing/migrated-database.js';
import { anEmail, handOverOf } from '../testing/running-tracking.js';
import { PostgresTrackingTransactions } from './postgres-tracking-transactions.js';
import { RecordSignals } from './record-signals.js';
import { type EmailEvent, TrackEmails } from './track-emails.js';
import { trackedEmails } from './tracked-emails.projection.js';

const MESSAGES = 512;
/** As many events as a page of the log of email-send has. */
const PAGE = 256;

let postgres: TestPostgres;
let costs: DatabaseCosts;
/** Of the last page. */
let statements: number;

/** What email-send says about messages to one recipient: both events in one page, or the second one in a later page. */
const pages = (service_id: string): EmailEvent[][] => {
  const emails = Array.from({ length: MESSAGES }, () => anEmail({ service_id }));
  const event = (type: string, data: object) => {
    const id = uuidv7();
    return { id, type, data, metadata: { correlation_id: id } } as unknown as EmailEvent;
  };
  const events = emails.flatMap((email, number) => {
    const pair = [event(emailAccepted.type, email), event(emailHandedOver.type, handOverOf(email))];
    return pair.map((one, place) => ({ one, at: number * 2 + place * PAGE * (number % 2) }));
  });
  const ordered = events.sort((a, b) => a.at - b.at).map(({ one }) => one);
  return Array.from({ length: ordered.length / PAGE }, (_, page) => ordered.slice(page * PAGE, (page + 1) * PAGE));
};

/** Consumes pages as the service does, and waits for the projection. */
const follow = async (pool: pg.Pool, batches: readonly EmailEvent[][]) => {
  const store = new PostgresEventStore(pool);
  const track = new TrackEmails(new RecordSignals(new PostgresTrackingTransactions(store), new NoSignalMetrics()));
  const runner = new ProjectionRunner({ store, projections: [trackedEmails] });
  await runner.start();
  for (const batch of batches) statements = await statementsOf(() => track.on(batch));
  await runner.waitUntil(trackedEmails.name, await latestPosition(pool));
  await runner.stop();
  await pool.end();
};

/** Calls of `client.query`, by all connections. */
const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const spy = jest.spyOn(pg.Client.prototype, 'query');
  await work();
  const calls = spy.mock.calls.length;
  spy.mockRestore();
  return calls;
};

/** The rows that sessions have reported to the statistics. */
const countOf = async (connectionString: string, table: string): Promise<number> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query('SELECT n_tup_ins::int AS count FROM pg_stat_user_tables WHERE relname = $1', [
    table,
  ]);
  await client.end();
  return rows[0]?.count ?? 0;
};

beforeAll(async () => {
  postgres = await startPostgres({ shared: false, durable: false });
  const connectionString = await migratedDatabase(postgres);
  const service_id = randomUUID();
  // The first page, over another connection, creates the counters.
  const first = new pg.Pool({ connectionString });
  await follow(first, pages(service_id).slice(0, 1));
  await waitFor(async () => (await countOf(connectionString, 'daily_email_counts')) > 0, {
    describe: 'the first page to be counted',
  });
  const pool = new pg.Pool({ connectionString });
  costs = await databaseCosts(connectionString, pool, () => follow(pool, pages(service_id)));
}, 60_000);
afterAll(() => postgres?.stop());

describe('The cost of a message without reports in the database of delivery-tracking', () => {
  it('is one row, which changes when the second event comes in a later page, and no event', () => {
    expect(costs.inserted).toEqual({ tracked_emails: MESSAGES });
    expect(costs.updated['tracked_emails'] ?? 0).toBeLessThanOrEqual(MESSAGES / 2);
  });

  it('is ten statements for a page of 256 events, and none of the projection', () => {
    expect(statements).toBeLessThanOrEqual(10);
  });

  it('is at most 2.5 KB of write-ahead log and 2.1 KB on disk', () => {
    expect(costs.walBytes / MESSAGES).toBeLessThan(2_500);
    expect(costs.bytes / MESSAGES).toBeLessThan(2_100);
  });
});
