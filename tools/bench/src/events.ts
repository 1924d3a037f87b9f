import { randomBytes, randomUUID } from 'node:crypto';
import { EMAIL_SEND_EVENTS } from '@postern/contracts';
import { BEGINNING, type DomainEvent, type Position } from '@postern/event-sourcing';
import { countAfter, PostgresEventStore } from '@postern/event-sourcing/postgres';
import { TestEventSource } from '@postern/service-host/testing';
import { type Cleanup, freePort, waitFor } from '@postern/testing';
import pg from 'pg';
import { acceptedAndHandedOver, asTracked } from './event-samples.js';
import { type Infrastructure, startInfrastructure } from './infrastructure.js';
import { ratioOf, spreadOf } from './measure/statistics.js';
import { spread, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import type { PartReport } from './report.js';
import { startServiceProcess } from './service-process.js';

const TARGET_PER_SECOND = 5_000;
const POLL_MS = 20;
const WITHIN_MS = 120_000;

/** Appends, for each email, its two events to its stream. */
const appendAll = (store: PostgresEventStore, streams: readonly (readonly DomainEvent[])[]) =>
  Promise.all(
    streams.map(events =>
      store.append(`bench-${randomUUID()}`, events, { expectedVersion: 'none', metadata: { correlationId: 'bench' } }),
    ),
  );

/** Events per second from the first to the last, after `work` has started. */
const rateUntil = async (events: number, work: () => void, done: () => Promise<boolean> | boolean, what: string) => {
  const startedAt = performance.now();
  work();
  await waitFor(done, { timeoutMs: WITHIN_MS, intervalMs: POLL_MS, describe: what });
  return (events * 1_000) / (performance.now() - startedAt);
};

/** delivery-tracking as a process: the service with the most events and the largest read model. */
const startTracking = async (infrastructure: Infrastructure, cleanup: Cleanup) => {
  const { postgres, nats } = infrastructure;
  const databaseUrl = await postgres.createDatabase('tracking');
  const service = await startServiceProcess('delivery-tracking', {
    POSTERN_NATS_URL: nats.url,
    POSTERN_NATS_SERVERS: nats.url,
    POSTERN_DATABASE_URL: databaseUrl,
    POSTERN_LINK_SECRETS: randomBytes(32).toString('base64url'),
    POSTERN_BOUNCE_DOMAIN: 'bounces.example.com',
    POSTERN_BOUNCE_SMTP_PORT: String(await freePort()),
  });
  cleanup.push(() => service.stop());
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  cleanup.push(() => pool.end());
  const behind = async () => {
    const { rows } = await pool.query<Position>(
      `SELECT txid::text, pos::text FROM event_store.projections WHERE name = 'tracked-emails' AND live`,
    );
    return countAfter(pool, rows[0] ?? BEGINNING);
  };
  const appended = async () =>
    Number((await pool.query<{ count: string }>('SELECT count(*) FROM event_store.events')).rows[0]?.count);
  return { service, store: new PostgresEventStore(pool), behind, appended };
};

type Tracking = Awaited<ReturnType<typeof startTracking>>;

/** Measures its read model with events that were stored while it was frozen. */
const projectionRound = async ({ service, store, behind }: Tracking, emails: number): Promise<number> => {
  service.freeze();
  await appendAll(
    store,
    Array.from({ length: emails }, () => asTracked(acceptedAndHandedOver())),
  );
  return rateUntil(
    emails * 2,
    () => service.thaw(),
    async () => (await behind()) === 0,
    'the read model to catch up',
  );
};

/** Measures its handling of events of another service: read, decide and append. */
const reactionRound = async (
  source: TestEventSource,
  { service, appended }: Tracking,
  emails: number,
): Promise<number> => {
  const before = await appended();
  service.freeze();
  const events = Array.from({ length: emails }, acceptedAndHandedOver).flatMap(pair =>
    pair.map(({ type, data }) => ({ id: randomUUID(), type, data })),
  );
  await source.publish(events);
  const taken = async () => (await appended()) - before >= events.length;
  return rateUntil(events.length, () => service.thaw(), taken, 'the events to be handled');
};

/** `npm run bench -- events`. */
export const measureEvents = async (options: BenchOptions, cleanup: Cleanup): Promise<PartReport> => {
  const emails = options.quick ? 500 : 10_000;
  const infrastructure = await startInfrastructure(cleanup);
  const tracking = await startTracking(infrastructure, cleanup);
  const source = await TestEventSource.start({
    service: 'email-send',
    contracts: EMAIL_SEND_EVENTS,
    link: infrastructure.link,
    databaseUrl: await infrastructure.postgres.createDatabase('emails'),
  });
  cleanup.push(() => source.stop());
  const reaction: number[] = [];
  const projection: number[] = [];
  for (let number = 1; number <= options.rounds; number++) {
    console.error(`▸ round ${number} of ${options.rounds}`);
    reaction.push(await reactionRound(source, tracking, emails));
    await waitFor(async () => (await tracking.behind()) === 0, {
      timeoutMs: WITHIN_MS,
      describe: 'delivery-tracking to be idle',
    });
    projection.push(await projectionRound(tracking, emails));
  }
  const wanted = reaction.map(() => TARGET_PER_SECOND);
  const row = (name: string, rates: readonly number[]) => [
    name,
    spread(spreadOf(rates)),
    spread(ratioOf(rates, wanted), 2),
  ];
  return {
    text: table(
      ['', 'events/s', `of the target of ${TARGET_PER_SECOND}/s`],
      [row('projection of delivery-tracking', projection), row('event handling of delivery-tracking', reaction)],
    ),
    figures: { projection, reaction, wanted_per_second: TARGET_PER_SECOND },
  };
};
