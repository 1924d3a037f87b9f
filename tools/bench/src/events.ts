import { randomBytes, randomUUID } from 'node:crypto';
import { EMAIL_SEND_EVENTS } from '@postern/contracts';
import { BEGINNING, type DomainEvent, type Position } from '@postern/event-sourcing';
import { countAfter, migrateEventStore, OutboxRelay, PostgresEventStore } from '@postern/event-sourcing/postgres';
import { JetStreamPublisher } from '@postern/messaging';
import { freePort, waitFor } from '@postern/testing';
import pg from 'pg';
import { acceptedAndHandedOver, asTracked } from './event-samples.js';
import { ratioOf, spreadOf } from './measure/statistics.js';
import { spread, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import type { PartReport } from './report.js';
import { startServiceProcess } from './service-process.js';
import { type Surroundings, startSurroundings } from './surroundings.js';
import type { Undo } from './undo.js';

const WANTED_PER_SECOND = 5_000;
const LOOK_EVERY_MS = 20;
const WITHIN_MS = 120_000;

/** Appends, for each email, its two events to its stream. */
const appendAll = (store: PostgresEventStore, streams: readonly (readonly DomainEvent[])[]) =>
  Promise.all(
    streams.map(events =>
      store.append(`bench-${randomUUID()}`, events, { expectedVersion: 'none', metadata: { correlationId: 'bench' } }),
    ),
  );

/** Events per second from the first to the last, once `work` has begun. */
const rateUntil = async (events: number, work: () => void, done: () => Promise<boolean> | boolean, what: string) => {
  const began = performance.now();
  work();
  await waitFor(done, { timeoutMs: WITHIN_MS, intervalMs: LOOK_EVERY_MS, describe: what });
  return (events * 1_000) / (performance.now() - began);
};

/** A backlog in a store of its own, relayed to real JetStream with every message acknowledged. */
const relayRound = async ({ postgres, link }: Surroundings, emails: number): Promise<number> => {
  const pool = new pg.Pool({ connectionString: await postgres.createDatabase(), max: 10 });
  try {
    await migrateEventStore(pool);
    const store = new PostgresEventStore(pool);
    await appendAll(store, Array.from({ length: emails }, acceptedAndHandedOver));
    const publisher = new JetStreamPublisher(link, { service: 'email-send', contracts: EMAIL_SEND_EVENTS });
    const relay = new OutboxRelay({ store, publisher, types: publisher.types });
    try {
      const published = async () => (await relay.status()).published === emails * 2;
      return await rateUntil(emails * 2, () => relay.start(), published, 'the outbox to be published');
    } finally {
      await relay.stop();
    }
  } finally {
    await pool.end();
  }
};

/** delivery-tracking as a process: the service with most events and the largest read model. */
const startTracking = async (surroundings: Surroundings, undo: Undo) => {
  const { postgres, nats } = surroundings;
  const databaseUrl = await postgres.createDatabase('tracking');
  const service = await startServiceProcess('delivery-tracking', {
    POSTERN_NATS_URL: nats.url,
    POSTERN_NATS_SERVERS: nats.url,
    POSTERN_DATABASE_URL: databaseUrl,
    POSTERN_LINK_SECRETS: randomBytes(32).toString('base64url'),
    POSTERN_BOUNCE_DOMAIN: 'bounces.example.com',
    POSTERN_BOUNCE_SMTP_PORT: String(await freePort()),
  });
  undo.push(() => service.stop());
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  undo.push(() => pool.end());
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

/** Its read model, from events that lay in its store while it was frozen. */
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

/** Its reaction to another service's events: consumed, deduplicated, decided and appended. */
const reactionRound = async (
  { link }: Surroundings,
  { service, appended }: Tracking,
  emails: number,
): Promise<number> => {
  const publisher = new JetStreamPublisher(link, { service: 'email-send', contracts: EMAIL_SEND_EVENTS });
  const before = await appended();
  service.freeze();
  const events = Array.from({ length: emails }, acceptedAndHandedOver).flatMap(pair => {
    const streamId = `bench-${randomUUID()}`;
    return pair.map(({ type, data }, place) => ({
      id: randomUUID(),
      type,
      data,
      streamId,
      version: place + 1,
      occurredAt: new Date(),
      metadata: { correlationId: 'bench' },
    }));
  });
  await publisher.publish(events);
  const taken = async () => (await appended()) - before >= events.length;
  return rateUntil(events.length, () => service.thaw(), taken, 'the events to be taken');
};

/** `npm run bench -- events`. */
export const measureEvents = async (options: BenchOptions, undo: Undo): Promise<PartReport> => {
  const emails = options.quick ? 500 : 10_000;
  const surroundings = await startSurroundings(undo);
  const tracking = await startTracking(surroundings, undo);
  const relay: number[] = [];
  const reaction: number[] = [];
  const projection: number[] = [];
  for (let number = 1; number <= options.rounds; number++) {
    console.error(`▸ round ${number} of ${options.rounds}`);
    reaction.push(await reactionRound(surroundings, tracking, emails));
    await waitFor(async () => (await tracking.behind()) === 0, { timeoutMs: WITHIN_MS, describe: 'tracking to rest' });
    projection.push(await projectionRound(tracking, emails));
    tracking.service.freeze();
    relay.push(await relayRound(surroundings, emails).finally(() => tracking.service.thaw()));
    await waitFor(async () => (await tracking.behind()) === 0, { timeoutMs: WITHIN_MS, describe: 'tracking to rest' });
  }
  const wanted = relay.map(() => WANTED_PER_SECOND);
  const row = (name: string, rates: readonly number[]) => [
    name,
    spread(spreadOf(rates)),
    spread(ratioOf(rates, wanted), 2),
  ];
  return {
    text: table(
      ['', 'events/s', `of the wanted ${WANTED_PER_SECOND}/s`],
      [
        row('outbox relay to JetStream', relay),
        row('projection of delivery-tracking', projection),
        row('reaction of delivery-tracking', reaction),
      ],
    ),
    figures: { relay, projection, reaction, wanted_per_second: WANTED_PER_SECOND },
  };
};
