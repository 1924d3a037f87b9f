import { randomBytes, randomUUID } from 'node:crypto';
import { EMAIL_SEND_EVENTS } from '@postern/contracts';
import { BEGINNING, type Position } from '@postern/event-sourcing';
import { countAfter, PostgresEventStore } from '@postern/event-sourcing/postgres';
import { TestEventSource } from '@postern/service-host/testing';
import { type Cleanup, freePort, waitFor } from '@postern/testing';
import pg from 'pg';
import { acceptedAndHandedOver, deliveredTo, type SampleEmail } from './event-samples.js';
import { type Infrastructure, startInfrastructure } from './infrastructure.js';
import { ratioOf, spreadOf } from './measure/statistics.js';
import { spread, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import type { PartReport } from './report.js';
import { startServiceProcess } from './service-process.js';

const TARGET_PER_SECOND = 5_000;
const POLL_MS = 20;
const WITHIN_MS = 120_000;

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
  /** The place up to which it has consumed the log of email-send. */
  const consumed = async () =>
    Number((await pool.query<{ pos: string }>('SELECT max(pos) AS pos FROM event_store.followers')).rows[0]?.pos);
  return { service, store: new PostgresEventStore(pool), behind, consumed };
};

type Tracking = Awaited<ReturnType<typeof startTracking>>;

/** Measures its read model with reports about emails, which were stored while it was frozen. */
const projectionRound = async (
  { service, store, behind }: Tracking,
  emails: readonly SampleEmail[],
): Promise<number> => {
  service.freeze();
  await Promise.all(
    emails.map(email =>
      store.append(`tracked-email-${email.email_id}`, [deliveredTo(email)], {
        expectedVersion: 'any',
        metadata: { correlationId: 'bench' },
      }),
    ),
  );
  return rateUntil(
    emails.length,
    () => service.thaw(),
    async () => (await behind()) === 0,
    'the read model to catch up',
  );
};

/** Measures its handling of events of another service, until its rows contain them. */
const reactionRound = async (
  source: TestEventSource,
  log: pg.Pool,
  { service, consumed, behind }: Tracking,
  emails: readonly SampleEmail[],
): Promise<number> => {
  service.freeze();
  const events = emails.flatMap(({ events: pair }) => pair.map(({ type, data }) => ({ id: randomUUID(), type, data })));
  await source.publish(events);
  const { rows } = await log.query<{ pos: string }>('SELECT max(pos) AS pos FROM event_store.events');
  const end = Number(rows[0]?.pos);
  const taken = async () => (await consumed()) >= end && (await behind()) === 0;
  return rateUntil(events.length, () => service.thaw(), taken, 'the events to be handled');
};

/** `npm run bench -- events`. */
export const measureEvents = async (options: BenchOptions, cleanup: Cleanup): Promise<PartReport> => {
  const count = options.quick ? 500 : 10_000;
  const infrastructure = await startInfrastructure(cleanup);
  const tracking = await startTracking(infrastructure, cleanup);
  const databaseUrl = await infrastructure.postgres.createDatabase('emails');
  const { link } = infrastructure;
  const source = await TestEventSource.start({
    ...{ service: 'email-send', contracts: EMAIL_SEND_EVENTS, link, databaseUrl },
  });
  cleanup.push(() => source.stop());
  const log = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  cleanup.push(() => log.end());
  const reaction: number[] = [];
  const projection: number[] = [];
  for (let number = 1; number <= options.rounds; number++) {
    console.error(`▸ round ${number} of ${options.rounds}`);
    const emails = Array.from({ length: count }, acceptedAndHandedOver);
    reaction.push(await reactionRound(source, log, tracking, emails));
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
