import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { getMetrics, getMetricsHistory } from '@postern/contracts';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { connectNats, RequestClient } from '@postern/messaging';
import { Runtime, type ServiceTraffic, type ServiceUsage } from '@postern/runtime';
import { type RunningService, startService, Tasks } from '@postern/service-host';
import { startNats, startPostgres } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { config } from '../config.js';
import { eventSourcing } from '../event-sourcing.module.js';
import { RuntimeModule } from '../infrastructure/runtime/runtime.module.js';
import { Retention } from '../retention/retention.js';
import { RetentionModule } from '../retention/retention.module.js';
import { MetricsModule } from '../web-services/metrics/metrics.module.js';
import { BandwidthRepository } from '../web-services/moderation/bandwidth-repository.js';
import { CountTraffic } from '../web-services/moderation/count-traffic.js';
import { ModerationModule } from '../web-services/moderation/moderation.module.js';
import { ModerationSettings, Suspensions } from '../web-services/moderation/ports.js';
import type { WebServiceEvent } from '../web-services/services/aggregate/events.js';
import { webServiceStream } from '../web-services/services/aggregate/web-service.js';
import type { WebServiceOf } from './caller.js';
import { migratedDatabase, migrations } from './migrated-database.js';
import { replaceModules } from './replace-modules.js';
import { releaseBegun, served } from './web-service-history.js';

/** A runtime with usage and traffic set by the test; traffic is kept until it is confirmed. */
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

export class RecordedSuspensions extends Suspensions {
  static recorded: [webServiceId: string, reason: string][] = [];

  async suspend(webServiceId: string, reason: string): Promise<void> {
    RecordedSuspensions.recorded.push([webServiceId, reason]);
  }

  static ended: string[] = [];
  static outOfOrder = false;

  async end(webServiceId: string): Promise<void> {
    if (RecordedSuspensions.outOfOrder) throw new Error('out of order');
    RecordedSuspensions.ended.push(webServiceId);
  }
}

const RUNNING = [releaseBegun('d1'), served('d1')];

@Module({ providers: [{ provide: Runtime, useClass: MeasuredRuntime }], exports: [Runtime] })
class MeasuredRuntimeModule {}

@Module({ imports: [eventSourcing, MetricsModule, ModerationModule, RetentionModule] })
class FeaturesModule {}

const module = replaceModules(FeaturesModule, new Map([[RuntimeModule, MeasuredRuntimeModule]]));

/** The metrics and moderation features on a real PostgreSQL and NATS, with a fake runtime. */
export class MetricsFixture {
  private constructor(
    readonly service: RunningService,
    readonly client: RequestClient,
    readonly pool: pg.Pool,
    private readonly cleanUp: () => Promise<void>,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<MetricsFixture> {
    const [postgres, nats] = await Promise.all([startPostgres({ durable: false }), startNats()]);
    const databaseUrl = await migratedDatabase(postgres);
    const service = await startService(
      {
        name: 'platform-management',
        config,
        module,
        database: migrations,
      },
      {
        POSTERN_NATS_SERVERS: nats.url,
        POSTERN_DATABASE_URL: databaseUrl,
        POSTERN_LOG_LEVEL: 'silent',
        POSTERN_ENCRYPTION_KEYS: `first:${randomBytes(32).toString('base64')}`,
        ...environment,
      },
    );
    // Tests run the work of timers directly.
    await service.app.get(Tasks, { strict: false }).stop();
    const link = await connectNats({ servers: nats.url, name: 'test' });
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

  /** Inserts a web service that is not deleted. @returns its id */
  async standing(id = uuidv7()): Promise<string> {
    await this.query('INSERT INTO web_service_standings (web_service_id, to_do) VALUES ($1, false)', [id]);
    return id;
  }

  /** Inserts a web service of a new user into the read model, with events that happened now. */
  async webService(history: readonly WebServiceEvent[] = RUNNING): Promise<WebServiceOf> {
    const [user_id, workspace_id, project] = [uuidv7(), uuidv7(), uuidv7()];
    const web_service_id = await this.standing();
    await this.query(
      `INSERT INTO projects (id, user_id, workspace_id, name, created_at) VALUES ($1, $2, $3, 'Shop', now())`,
      [project, user_id, workspace_id],
    );
    await this.query(
      `INSERT INTO web_services (id, user_id, project_id, name, git_repository_url, port, min_instances, max_instances,
         environment, status, created_at)
       VALUES ($1, $2, $3, 'Shop', 'https://git.example.com/shop.git', 3000, 1, 1, 'production', 'running', now())`,
      [web_service_id, user_id, project],
    );
    await this.append(web_service_id, history);
    return { user_id, workspace_id, web_service_id };
  }

  async append(web_service_id: string, events: readonly WebServiceEvent[], at = new Date()): Promise<void> {
    const recorded = events.map(({ type, data }) => ({
      type,
      data: { ...data, web_service_id, at: at.toISOString() },
    }));
    const options = { expectedVersion: 'any', metadata: { correlationId: uuidv7() } } as const;
    await new PostgresEventStore(this.pool).append(webServiceStream(web_service_id), recorded, options);
  }

  /** Counts the traffic of the fake runtime; suspensions are only recorded. */
  countTraffic(now = new Date()): Promise<void> {
    const { app } = this.service;
    const bandwidth = app.get(BandwidthRepository, { strict: false });
    const settings = app.get(ModerationSettings, { strict: false });
    return new CountTraffic(new MeasuredRuntime(), bandwidth, new RecordedSuspensions(), settings).run({ now });
  }

  deleteOldRows(now: Date): Promise<void> {
    return this.service.app.get(Retention, { strict: false }).run({ now });
  }

  current(of: WebServiceOf) {
    return this.client.request(getMetrics, of);
  }

  history(of: WebServiceOf, period: number) {
    return this.client.request(getMetricsHistory, { ...of, period });
  }

  async query<Row>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query(statement, [...values])).rows as Row[];
  }

  stop(): Promise<void> {
    return this.cleanUp();
  }
}
