import { randomBytes, randomUUID } from 'node:crypto';
import { EMAIL_SEND_EVENTS } from '@postern/contracts';
import { BEGINNING, type Position } from '@postern/event-sourcing';
import { countAfter, PostgresEventStore } from '@postern/event-sourcing/postgres';
import { TestEventSource } from '@postern/service-host/testing';
import { type Cleanup, freePort, waitFor } from '@postern/testing';
import pg from 'pg';
import { acceptedAndHandedOver, deliveredTo, type SampleEmail } from './event-samples.js';
import { type Infrastructure, startInfrastructure } from './infrastructure.js';
import { cpuOf } from './measure/process-usage.js';
import { ratioOf, spreadOf } from './measure/statistics.js';
import { figure, spread, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import type { PartReport } from './report.js';
import { startServiceProcess } from './service-process.js';

const TARGET_PER_SECOND = 5_000;
const POLL_MS = 20;
const WITHIN_MS = 120_000;

interface Round {
  /** Events per second from the first to the last. */
  readonly perSecond: number;
  /** CPU of each process for an event. */
  readonly cpuUs: Readonly<Record<string, number>>;
}

/** Measures from the start of `work` until it is done. */
const roundUntil = async (
  pids: Readonly<Record<string, number>>,
  events: number,
  work: () => void,
  done: () => Promise<boolean> | boolean,
  what: string,
): Promise<Round> => {
  const before = cpuOf(pids);
  const startedAt = performance.now();
  work();
  await waitFor(done, { timeoutMs: WITHIN_MS, intervalMs: POLL_MS, describe: what });
  const perSecond = (events * 1_000) / (performance.now() - startedAt);
  const used = Object.entries(cpuOf(pids)).map(([name, ms]) => [name, ((ms - (before[name] ?? 0)) * 1_000) / events]);
  return { perSecond, cpuUs: Object.fromEntries(used) };
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
  const pids = { 'delivery-tracking': service.pid, postgres: postgres.pid, nats: nats.pid };
  return { service, store: new PostgresEventStore(pool), behind, consumed, pids };
};

type Tracking = Awaited<ReturnType<typeof startTracking>>;

/** Measures its read model with reports about emails, which were stored while it was frozen. */
const projectionRound = async (
  { service, store, behind, pids }: Tracking,
  emails: readonly SampleEmail[],
): Promise<Round> => {
  service.freeze();
  await Promise.all(
    emails.map(email =>
      store.append(`tracked-email-${email.email_id}`, [deliveredTo(email)], {
        expectedVersion: 'any',
        metadata: { correlationId: 'bench' },
      }),
    ),
  );
  return roundUntil(
    pids,
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
  { service, consumed, behind, pids }: Tracking,
  emails: readonly SampleEmail[],
): Promise<Round> => {
  service.freeze();
  const events = emails.flatMap(({ events: pair }) => pair.map(({ type, data }) => ({ id: randomUUID(), type, data })));
  await source.publish(events);
  const { rows } = await log.query<{ pos: string }>('SELECT max(pos) AS pos FROM event_store.events');
  const end = Number(rows[0]?.pos);
  const taken = async () => (await consumed()) >= end && (await behind()) === 0;
  return roundUntil(pids, events.length, () => service.thaw(), taken, 'the events to be handled');
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
  const reaction: Round[] = [];
  const projection: Round[] = [];
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
  const row = (name: string, rounds: readonly Round[]) => {
    const rates = rounds.map(({ perSecond }) => perSecond);
    const cpu = Object.keys(tracking.pids).map(process =>
      figure(spreadOf(rounds.map(({ cpuUs }) => cpuUs[process] ?? 0)).median),
    );
    return [name, spread(spreadOf(rates)), spread(ratioOf(rates, wanted), 2), ...cpu];
  };
  return {
    text: table(
      [
        '',
        'events/s',
        `of the target of ${TARGET_PER_SECOND}/s`,
        ...Object.keys(tracking.pids).map(name => `µs in ${name}`),
      ],
      [row('projection of delivery-tracking', projection), row('event handling of delivery-tracking', reaction)],
    ),
    figures: { projection, reaction, wanted_per_second: TARGET_PER_SECOND },
  };
};
