import { Module } from '@nestjs/common';
import { getMetrics, getMetricsHistory } from '@postern/contracts';
import { migrateEventStore } from '@postern/event-sourcing/postgres';
import { connectNats, RequestClient } from '@postern/messaging';
import { type RunningService, startService, Tasks } from '@postern/service-host';
import { databaseSettings, defineConfig } from '@postern/service-host/config';
import { startNats, startPostgres } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { metricsControllers, metricsProviders } from '../metrics/metrics.module.js';
import { Suspensions } from '../metrics/ports.js';
import { metricsSettings } from '../moderation/settings.js';
import { Runtime, type ServiceTraffic, type ServiceUsage } from '../ports/runtime.js';

/** What runs, as a test says it; traffic is kept until it has been confirmed. */
export class MeasuredRuntime {
  static running: ServiceUsage[] = [];
  static traffic: ServiceTraffic[] = [];

  async usage(): Promise<readonly ServiceUsage[]> {
    return MeasuredRuntime.running;
  }

  async takeTraffic(confirm: (traffic: readonly ServiceTraffic[]) => Promise<void>): Promise<void> {
    await confirm(MeasuredRuntime.traffic);
    MeasuredRuntime.traffic = [];
  }
}

export class NotedSuspensions extends Suspensions {
  static noted: [webServiceId: string, reason: string][] = [];

  async suspend(webServiceId: string, reason: string): Promise<void> {
    NotedSuspensions.noted.push([webServiceId, reason]);
  }

  static lifted: string[] = [];
  static outOfOrder = false;

  async lift(webServiceId: string): Promise<void> {
    if (NotedSuspensions.outOfOrder) throw new Error('out of order');
    NotedSuspensions.lifted.push(webServiceId);
  }
}

const config = defineConfig({ ...databaseSettings, ...metricsSettings });

@Module({
  controllers: metricsControllers,
  providers: [
    ...metricsProviders,
    { provide: Runtime, useClass: MeasuredRuntime },
    { provide: Suspensions, useClass: NotedSuspensions },
  ],
})
class MetricsModule {}

/** The part of platform-management that measures, over a real PostgreSQL and NATS; what runs is the test's. */
export class MetricsFixture {
  private constructor(
    readonly service: RunningService,
    readonly client: RequestClient,
    readonly pool: pg.Pool,
    private readonly letGo: () => Promise<void>,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<MetricsFixture> {
    const [postgres, nats] = await Promise.all([startPostgres({ durable: false }), startNats()]);
    const databaseUrl = await postgres.createDatabase();
    const directory = new URL('../../../../prisma/platform-management/migrations', import.meta.url);
    const service = await startService(
      {
        name: 'platform-management',
        config,
        module: MetricsModule,
        database: { directory, afterwards: migrateEventStore },
      },
      {
        POSTERN_NATS_SERVERS: nats.url,
        POSTERN_DATABASE_URL: databaseUrl,
        POSTERN_LOG_LEVEL: 'silent',
        ...environment,
      },
    );
    // The clock is the test's: what happens on a timer happens when a test says so.
    await service.app.get(Tasks, { strict: false }).stop();
    const link = await connectNats({ servers: nats.url, name: 'asker' });
    const client = new RequestClient(link);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    return new MetricsFixture(service, client, pool, async () => {
      client.close();
      await link.close();
      await service.stop();
      await pool.end();
      await nats.stop();
      await postgres.stop();
    });
  }

  /** A web service of a new user, as the read model has it. */
  async webService(status = 'running'): Promise<{ user_id: string; web_service_id: string }> {
    const [user_id, web_service_id] = [uuidv7(), uuidv7()];
    await this.query(
      `INSERT INTO web_services (id, user_id, project_id, name, git_repository_url, port, min_instances, max_instances,
         environment, status, created_at)
       VALUES ($1, $2, $3, 'Shop', 'https://git.example.com/shop.git', 3000, 1, 1, 'production', $4, now())`,
      [web_service_id, user_id, uuidv7(), status],
    );
    return { user_id, web_service_id };
  }

  current(of: { user_id: string; web_service_id: string }) {
    return this.client.request(getMetrics, of);
  }

  history(of: { user_id: string; web_service_id: string }, period: number) {
    return this.client.request(getMetricsHistory, { ...of, period });
  }

  async query<Row>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query(statement, [...values])).rows as Row[];
  }

  stop(): Promise<void> {
    return this.letGo();
  }
}
