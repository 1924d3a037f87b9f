import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SERVICE_NAMES } from '@postern/contracts';
import { type SupervisedProcess, startReplica } from '@postern/local-start';
import { eventually, freePort, TcpBalancer, waitFor } from '@postern/testing';
import pg from 'pg';
import { copiesByRecipient, deliveredEmails, type Sent, underLoad } from './crash/load.js';
import { type Change, nextVersionOf } from './rolling/next-version.js';
import { type Sender, World } from './world.js';

const ALONE_MS = 1_500;
/** Minimum number of events that each version must write while both run. */
const WORKED_AT_LEAST = 10;
const SIDE_BY_SIDE_WITHIN_MS = 60_000;
const GRACE_MS = 20_000;
const EVENTS_WITHIN_MS = 60_000;
const STORY_WITHIN_MS = 150_000;
/** One email service sends the whole load, which exceeds the daily quota. */
const UNLIMITED = {
  POSTERN_PRODUCTION_PER_MINUTE_LIMIT: '1000000',
  POSTERN_PRODUCTION_DAILY_START: '1000000',
  POSTERN_QUOTA_CEILING: '1000000',
};

interface Upgrade {
  readonly service: 'email-send' | 'delivery-tracking';
  /** A published event with one additional field in the next version. */
  readonly published: string;
  /** An event that both versions write, at the same time unless `oneWorks`. */
  readonly work: string;
  /** Most work follows the log of another service, in one replica at a time. */
  readonly oneWorks?: true;
  readonly projection: string;
  /** The version of the projection in the next version of the service. */
  readonly nextVersion: number;
  readonly changes: readonly Change[];
}

const UPGRADES: readonly Upgrade[] = [
  {
    service: 'email-send',
    published: 'email-send.email-accepted.v1',
    work: 'email-send.email-accepted.v1',
    projection: 'administration',
    nextVersion: 4,
    changes: [
      {
        file: 'email',
        from: 'type: emailAccepted.type, data: command.facts',
        to: "type: emailAccepted.type, data: { ...command.facts, written_by: 'next' }",
      },
      { file: 'administration', from: 'const VERSION = 3;', to: 'const VERSION = 4;' },
    ],
  },
  {
    service: 'delivery-tracking',
    published: 'delivery-tracking.email-delivered.v1',
    oneWorks: true,
    work: 'delivery-tracking.email-delivered.v1',
    projection: 'tracked-emails',
    nextVersion: 6,
    changes: [
      { file: 'public-event', from: 'counts: facts.counts,', to: "counts: facts.counts, written_by: 'next'," },
      { file: 'tracked-emails', from: 'version: 5,', to: 'version: 6,' },
    ],
  },
];

const folder = mkdtempSync(join(tmpdir(), 'postern-rolling-'));
const next: SupervisedProcess[] = [];
const everything: Sent[] = [];
let returnPath: TcpBalancer;
let oldReturnPath: number;
let world: World;
let sender: Sender;

beforeAll(async () => {
  returnPath = await TcpBalancer.open();
  oldReturnPath = await freePort();
  returnPath.add(oldReturnPath);
  world = await World.start({
    environment: {
      'email-send': UNLIMITED,
      'delivery-tracking': { POSTERN_BOUNCE_SMTP_PORT: String(oldReturnPath) },
    },
    simulator: { POSTERN_SIMULATOR_KEEP_MESSAGES: '50000', POSTERN_SIMULATOR_BOUNCE_PORT: String(returnPath.port) },
  });
  sender = await world.sender('Load', 'crash.test');
}, 120_000);

afterAll(async () => {
  for (const process of next) await process.stop();
  await world.stop();
  returnPath.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** N+1 starts alongside N, both process events, N is stopped, and N+1 continues alone. */
const upgrade = async (story: Upgrade): Promise<void> => {
  const { service, changes } = story;
  const { postern } = world;
  const successor = await startReplica(postern, service, {
    name: `${service}-next`,
    environment: { [service]: UNLIMITED },
    entryPoint: nextVersionOf(service, changes, join(folder, service)),
  });
  next.push(successor.process);
  if (service === 'delivery-tracking') returnPath.add(successor.port);
  const startedAt = new Date();
  await waitFor(() => (story.oneWorks ? hasWorkedSince(story, startedAt) : haveWorked(story)), {
    timeoutMs: SIDE_BY_SIDE_WITHIN_MS,
    intervalMs: 500,
    describe: 'work of both versions side by side',
  });
  if (service === 'delivery-tracking') returnPath.remove(oldReturnPath);
  await postern.services.get(service)?.stop(GRACE_MS);
};

const rowsOf = async (
  service: (typeof SERVICE_NAMES)[number],
  sql: string,
  values: readonly unknown[],
): Promise<readonly Record<string, number>[]> => {
  const client = new pg.Client({ connectionString: world.postern.wiring.databaseUrl(service) });
  await client.connect();
  try {
    return (await client.query<Record<string, number>>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
};

/** Number of events written by each version; for the older one, those since the next one started. */
const writtenBy = async ({ service, published, work }: Upgrade): Promise<Record<string, number>> => {
  const [counts = {}] = await rowsOf(
    service,
    `SELECT count(*) FILTER (WHERE type = $1 AND of_next)::int AS published_by_next,
            count(*) FILTER (WHERE type = $2 AND of_next)::int AS worked_by_next,
            count(*) FILTER (WHERE type = $2 AND NOT of_next AND occurred_at > began)::int AS worked_by_old_meanwhile
       FROM (SELECT *, data ->> 'written_by' IS NOT NULL AS of_next,
                    min(occurred_at) FILTER (WHERE data ->> 'written_by' IS NOT NULL) OVER () AS began
               FROM event_store.events) AS events`,
    [published, work],
  );
  return counts;
};

/** Whether the older version still works while the next one runs beside it. */
const hasWorkedSince = async ({ service, work }: Upgrade, since: Date): Promise<boolean> => {
  const [{ count = 0 } = {}] = await rowsOf(
    service,
    'SELECT count(*)::int FROM event_store.events WHERE type = $1 AND occurred_at > $2',
    [work, since],
  );
  return count >= WORKED_AT_LEAST;
};

/** Whether both versions have processed enough events while they ran at the same time. */
const haveWorked = async (story: Upgrade): Promise<boolean> => {
  const { worked_by_next: next = 0, worked_by_old_meanwhile: old = 0 } = await writtenBy(story);
  return Math.min(next, old) >= WORKED_AT_LEAST;
};

/**
 * The next version is the present code with two changes to its build: an additional field in its events, and a read model
 * that is rebuilt from the first event. Schema changes of tables are not covered.
 */
describe.each(UPGRADES)('while $service is replaced in a rolling upgrade under load', story => {
  const { service, projection, nextVersion } = story;
  let sent: readonly Sent[];

  beforeAll(async () => {
    sent = await underLoad(sender, `rolling-${service}`, async () => {
      await pause(ALONE_MS);
      await upgrade(story);
      await pause(ALONE_MS);
    });
    everything.push(...sent);
  }, STORY_WITHIN_MS);

  it('no request is refused, fails or stays without a response', () => {
    expect(sent.length).toBeGreaterThan(100);
    expect(sent.filter(({ status }) => status !== 'sent')).toEqual([]);
  });

  it('every message was handed to the relay exactly once', async () => {
    const copies = await copiesByRecipient(world.postern.mailboxUrl);
    expect(sent.filter(({ recipient }) => copies.get(recipient) !== 1)).toEqual([]);
  });

  it(
    'every message has its delivered event, whichever version published and consumed it',
    async () => {
      const missing = () => {
        const delivered = deliveredEmails(sender);
        return sent.filter(({ id }) => !delivered.has(id as string));
      };
      await waitFor(() => missing().length === 0, {
        timeoutMs: EVENTS_WITHIN_MS,
        intervalMs: 200,
        describe: () => `the events of ${missing().length} of ${sent.length} messages`,
      });
    },
    STORY_WITHIN_MS,
  );

  it('the older version ends by itself and leaves no unfinished work', () => {
    const log = readFileSync(world.postern.home.logFile(service), 'utf8');
    expect(log).toContain('Shutting down');
    expect(log).not.toContain('Stopped before all work finished');
    expect(world.postern.processes()).not.toHaveProperty(service);
  });

  it(`both have processed events${story.oneWorks ? '' : ', for some time simultaneously'}`, async () => {
    const { worked_by_old_meanwhile: meanwhile, ...next } = await writtenBy(story);
    const counts = Object.values(story.oneWorks ? next : { ...next, meanwhile });
    expect(counts).toHaveLength(story.oneWorks ? 2 : 3);
    expect(counts.filter((count = 0) => count < WORKED_AT_LEAST)).toEqual([]);
  });

  it(
    'the next version has read every event of the older one: its read model is separate and complete',
    async () => {
      await waitFor(
        async () =>
          (
            await rowsOf(
              service,
              'SELECT version FROM event_store.projections WHERE name = $1 AND live AND version = $2',
              [projection, nextVersion],
            )
          ).length === 1,
        { timeoutMs: EVENTS_WITHIN_MS, describe: `${projection} of version ${nextVersion}` },
      );
      await eventually(
        async () => {
          const totalOf = async (filter: string) =>
            (await world.callDashboardApi('GET', `${sender.path}/emails?limit=1${filter}`)).body['total'];
          expect(await totalOf('')).toBe(everything.length);
          // A filtered list counts up to 1,000 messages.
          expect(await totalOf('&state=delivered')).toBe(Math.min(everything.length, 1_000));
          for (const state of ['pending', 'handed_over', 'deferred', 'bounced', 'unknown', 'not_sent'])
            expect([state, await totalOf(`&state=${state}`)]).toEqual([state, 0]);
        },
        { timeoutMs: EVENTS_WITHIN_MS },
      );
      for (const { id } of [everything[0], sent[0], sent.at(-1)] as readonly Sent[])
        expect((await sender.get(id as string)).body).toMatchObject({ id, status: 'sent' });
    },
    STORY_WITHIN_MS,
  );
});
