import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Injectable, Module, type OnApplicationBootstrap, Scope, type Type } from '@nestjs/common';
import { migrateEventStore, withLeadership } from '@postern/event-sourcing/postgres';
import { startNats, startPostgres, type TestNats, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { Database } from './database/database.js';
import { Every, type TaskRun } from './every.js';
import { createLog } from './log/service-log.js';
import { type RunningService, startService } from './start-service.js';
import { notebook, notebookConfig } from './testing/notebook.js';

let postgres: TestPostgres;
let nats: TestNats;
let databaseUrl: string;
let pool: pg.Pool;
const replicas: RunningService[] = [];

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres({ durable: false }), startNats()]);
  databaseUrl = await postgres.createDatabase();
  pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
  await migrateEventStore(pool);
}, 60_000);
afterEach(async () => {
  await Promise.all(replicas.splice(0).map(replica => replica.stop()));
});
afterAll(async () => {
  await pool?.end();
  await nats?.stop();
  await postgres?.stop();
});

describe('A method with the decorator Every', () => {
  it('runs again after each end and after a failure, and never overlaps', async () => {
    const { promise: fifth, resolve } = Promise.withResolvers<void>();
    const counted = { running: 0, most: 0, runs: 0 };
    class Counts {
      @Every(1, 'count')
      async count(): Promise<void> {
        counted.most = Math.max(counted.most, ++counted.running);
        await new Promise(done => setImmediate(done));
        counted.running -= 1;
        counted.runs += 1;
        if (counted.runs === 5) resolve();
        if (counted.runs === 2) throw new Error('once');
      }
    }
    await start(Counts);
    await fifth;
    expect(counted.most).toBe(1);
  });

  it('starts after the hooks of all providers, with the time and its instance', async () => {
    const { promise: first, resolve } = Promise.withResolvers<unknown>();
    const began = Date.now();
    class Begins {
      readonly name = 'Begins';

      @Every(60_000, 'begin')
      async begin({ now }: Pick<TaskRun, 'now'>): Promise<void> {
        resolve([this.name, now.getTime() >= began, hooks]);
      }
    }
    const hooks: string[] = [];
    class Prepares implements OnApplicationBootstrap {
      async onApplicationBootstrap(): Promise<void> {
        await new Promise(done => setImmediate(done));
        hooks.push('prepared');
      }
    }
    await start(Begins, Prepares);
    expect(await first).toEqual(['Begins', true, ['prepared']]);
  });

  it('is asked to end when the service stops, which waits for it before the database closes', async () => {
    const { promise: running, resolve } = Promise.withResolvers<void>();
    const ends: unknown[] = [];
    @Injectable()
    class Works {
      constructor(private readonly database: Database) {}

      @Every(1, 'work')
      async work({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
        resolve();
        await aborted(signal);
        ends.push((await this.database.pool.query('SELECT 1 AS one')).rows);
      }
    }
    const replica = await start(Works);
    await running;
    await expect(replica.stop()).resolves.toBe(true);
    expect(ends).toEqual([[{ one: 1 }]]);
  });

  it('has an interval from the configuration', async () => {
    const { promise: second, resolve } = Promise.withResolvers<void>();
    let runs = 0;
    class Configured {
      @Every(({ httpPort }: { httpPort: number }) => httpPort + 1, 'configured')
      async run(): Promise<void> {
        runs += 1;
        if (runs === 2) resolve();
      }
    }
    await start(Configured);
    await second;
  });

  it('is registered once for a provider with an alias', async () => {
    const { promise: second, resolve } = Promise.withResolvers<void>();
    let [running, most, runs] = [0, 0, 0];
    class Aliased {
      @Every(1, 'aliased')
      async run(): Promise<void> {
        most = Math.max(most, ++running);
        await pool.query('SELECT 1');
        running -= 1;
        if (++runs === 2) resolve();
      }
    }
    abstract class Alias {}
    await start(Aliased, { provide: Alias, useExisting: Aliased });
    await second;
    expect(most).toBe(1);
  });
});

describe('A method that runs on one replica', () => {
  it('runs in each of two replicas in turn, and never in both', async () => {
    const { promise: both, resolve } = Promise.withResolvers<void>();
    const ran = new Set<object>();
    let [running, most] = [0, 0];
    class Leads {
      @Every(1, 'lead in turn', { onOneReplica: true })
      async lead(): Promise<void> {
        most = Math.max(most, ++running);
        await pool.query('SELECT 1');
        running -= 1;
        if (ran.add(this).size === 2) resolve();
      }
    }
    await Promise.all([start(Leads), start(Leads)]);
    await both;
    expect(most).toBe(1);
  });

  it('has the lock with the name of the task', async () => {
    const { promise: led, resolve } = Promise.withResolvers<void>();
    const runs: string[] = [];
    class Locked {
      @Every(1, 'locked', { onOneReplica: true })
      async locked(): Promise<void> {
        runs.push('locked');
      }

      @Every(1, 'free', { onOneReplica: true })
      async free(): Promise<void> {
        runs.push('free');
        if (runs.length === 5) resolve();
      }
    }
    await whileLeading(['locked'], async () => {
      await start(Locked);
      await led;
      expect(new Set(runs)).toEqual(new Set(['free']));
    });
  });

  it('is asked to end when its lock is lost, and another replica continues', async () => {
    const leaders: object[] = [];
    const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { promise: lost, resolve } = Promise.withResolvers<void>();
    class Holds {
      @Every(1, 'hold', { onOneReplica: true })
      async hold({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
        started[leaders.push(this) - 1]?.resolve();
        await aborted(signal);
        resolve();
      }
    }
    await Promise.all([start(Holds), start(Holds)]);
    await started[0]!.promise;
    await pool.query(`UPDATE event_store.leases SET token = token + 1, expires_at = '-infinity'`);
    await lost;
    await started[1]!.promise;
  });

  it('does not start in a service without a database', async () => {
    class NeedsDatabase {
      @Every(1, 'lead', { onOneReplica: true })
      async lead(): Promise<void> {}
    }
    @Module({ providers: [NeedsDatabase] })
    class WithoutDatabase {}
    const service = { name: 'api-gateway', config: notebookConfig, module: WithoutDatabase } as const;
    await expect(startService(service, environment(), silent())).rejects.toThrow(
      'The task "lead" runs on one replica, which requires a database',
    );
  });
});

describe('A service does not start', () => {
  it('with two tasks of one name', async () => {
    class One {
      @Every(1, 'same')
      async run(): Promise<void> {}
    }
    class Other {
      @Every(1, 'same')
      async repeat(): Promise<void> {}
    }
    await expect(start(One, Other)).rejects.toThrow('Two tasks are named "same": One.run and Other.repeat');
  });

  it('with a task whose provider is request-scoped', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {}
    @Injectable()
    class Depends {
      constructor(readonly perRequest: PerRequest) {}

      @Every(1, 'depend')
      async run(): Promise<void> {}
    }
    await expect(start(PerRequest, Depends)).rejects.toThrow('Depends runs tasks and must be a singleton');
  });

  it('with a task in a controller', async () => {
    @Controller()
    class Tasked {
      @Every(1, 'in a controller')
      async run(): Promise<void> {}
    }
    @Module({ controllers: [Tasked] })
    class WithController {}
    await expect(startModule(WithController)).rejects.toThrow('Tasked runs tasks: list it under providers');
  });
});

it('does not compile on a method that needs something else than a run', () => {
  class Wrong {
    // @ts-expect-error A run is not a date.
    @Every(1, 'a date')
    async ofDate(_now: Date): Promise<void> {}

    // @ts-expect-error The next run could start before this one ends.
    @Every(1, 'no promise')
    withoutPromise(): void {}
  }
  expect(new Wrong()).toBeDefined();
});

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));

const whileLeading = async ([name, ...others]: readonly string[], work: () => Promise<void>): Promise<void> => {
  if (name === undefined) return work();
  const stop = new AbortController();
  expect(await withLeadership(pool, name, stop.signal, () => whileLeading(others, work))).toBe(true);
};

const silent = () => createLog('notebook', 'silent');

const environment = () => ({
  POSTERN_DATABASE_URL: databaseUrl,
  POSTERN_NATS_SERVERS: nats.url,
  POSTERN_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
});

async function start(...providers: NonNullable<Parameters<typeof Module>[0]['providers']>): Promise<RunningService> {
  @Module({ providers })
  class WithTasks {}
  return startModule(WithTasks);
}

async function startModule(module: Type): Promise<RunningService> {
  const replica = await startService(notebook(module), environment(), silent());
  replicas.push(replica);
  return replica;
}
