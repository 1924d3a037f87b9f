import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { connectNats, type NatsLink, RequestClient } from '@postern/messaging';
import { startNats, startPostgres, type TestNats, type TestPostgres, waitFor } from '@postern/testing';
import { Every, type TaskRun } from '../every.js';
import { createLog } from '../log/service-log.js';
import { type RunningService, startService } from '../start-service.js';
import { listNotes, notebook } from '../testing/notebook.js';

const DAY_MS = 24 * 3_600_000;

let postgres: TestPostgres;
let nats: TestNats;
let databaseUrl: string;
let link: NatsLink;
let client: RequestClient;
const replicas: RunningService[] = [];

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres({ durable: false }), startNats()]);
  databaseUrl = await postgres.createDatabase();
  link = await connectNats({ servers: nats.url, name: 'caller' });
  client = new RequestClient(link);
}, 60_000);
afterEach(async () => {
  await Promise.all(replicas.splice(0).map(replica => replica.stop()));
});
afterAll(async () => {
  client?.close();
  await link?.close();
  await nats?.stop();
  await postgres?.stop();
});

/** A replica whose clock can be set, and the times at which its job ran. */
const replica = async (aheadMs: number) => {
  const clock = { aheadMs };
  const ran: Date[] = [];
  class Purges {
    @Every(50, 'purge')
    async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
      ran.push(now);
    }
  }
  @Module({ providers: [Purges] })
  class WithJob {}
  const service = await startService(
    { ...notebook(WithJob), wallClock: () => Date.now() + clock.aheadMs },
    {
      POSTERN_DATABASE_URL: databaseUrl,
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    },
    createLog('notebook', 'silent'),
  );
  replicas.push(service);
  const ready = async () => {
    const response = await fetch(`http://127.0.0.1:${service.port}/health/ready`);
    return { status: response.status, body: await response.text() };
  };
  return { clock, ran, ready };
};

describe.each([
  ['a day ahead', DAY_MS],
  ['a day behind', -DAY_MS],
  ['six seconds ahead', 6_000],
])('a process whose clock is %s', (_, aheadMs) => {
  it('is not ready, starts no job and takes no request, until the clock is right', async () => {
    const wrong = await replica(aheadMs);
    const { status, body } = await wrong.ready();
    expect(status).toBe(503);
    expect(body).toMatch(/The clock of this machine is [\d.]+ s (ahead of|behind) the clock of PostgreSQL/);
    await expect(client.request(listNotes, {})).rejects.toMatchObject({ reason: 'no_responders' });
    expect(wrong.ran).toEqual([]);
    wrong.clock.aheadMs = 0;
    await waitFor(async () => (await wrong.ready()).status === 200, { timeoutMs: 10_000 });
    await waitFor(() => wrong.ran.length > 0, { timeoutMs: 5_000 });
    await expect(client.request(listNotes, {})).resolves.toEqual([]);
  });
});

it('a clock that jumps while the process runs does not change the time of its jobs, and the process leaves', async () => {
  const jumping = await replica(0);
  const other = await replica(0);
  await waitFor(() => jumping.ran.length > 0);
  jumping.clock.aheadMs = 25 * 3_600_000;
  await waitFor(async () => (await jumping.ready()).status === 503, { timeoutMs: 10_000 });
  for (const now of jumping.ran) expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(60_000);
  const runs = jumping.ran.length;
  // Requests reach the other replica.
  for (let n = 0; n < 20; n += 1) await expect(client.request(listNotes, {})).resolves.toEqual([]);
  expect((await other.ready()).status).toBe(200);
  expect(jumping.ran.length - runs).toBeLessThanOrEqual(1);
});

it('a clock that differs by less takes part', async () => {
  const close = await replica(2_000);
  expect((await close.ready()).status).toBe(200);
  await expect(client.request(listNotes, {})).resolves.toEqual([]);
});
