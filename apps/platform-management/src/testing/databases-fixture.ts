import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { createDatabase, getDatabase, type ReplyOf, type RequestInput } from '@postern/contracts';
import { connectNats, RequestClient } from '@postern/messaging';
import { AgentProcess } from '@postern/runtime/testing';
import { type RunningService, startService, Tasks } from '@postern/service-host';
import { startNats, startPostgres } from '@postern/testing';
import pg from 'pg';
import { config } from '../config.js';
import { BackupReconciler } from '../databases/backup-reconciler.js';
import { DatabaseReconciler } from '../databases/database-reconciler.js';
import { DatabasesModule } from '../databases/databases.module.js';
import { eventSourcing } from '../event-sourcing.module.js';
import { migratedDatabase, migrations } from './migrated-database.js';

@Module({ imports: [eventSourcing, DatabasesModule] })
class StoredDatabasesModule {}

/** Whether timers run, or the test runs their work directly. */
type Clock = 'real' | 'of the test';

export type CreatedDatabase = ReplyOf<typeof createDatabase>;

/** Provisions databases in a service on a real PostgreSQL and NATS, with a client. */
export class DatabasesFixture {
  private constructor(
    readonly client: RequestClient,
    readonly pool: pg.Pool,
    readonly home: string,
    readonly agent: AgentProcess,
    private readonly environment: Record<string, string>,
    private readonly output: Parameters<typeof startService>[2],
    private service: RunningService,
    private readonly cleanUp: () => Promise<void>,
  ) {}

  static async start(
    output?: Parameters<typeof startService>[2],
    agentEnvironment: Readonly<Record<string, string>> = {},
  ): Promise<DatabasesFixture> {
    const [postgres, nats] = await Promise.all([startPostgres({ durable: false }), startNats()]);
    const databaseUrl = await migratedDatabase(postgres);
    const home = await mkdtemp(join(tmpdir(), 'postern-platform-'));
    const environment = {
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_DATABASE_URL: databaseUrl,
      POSTERN_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    };
    const agent = await AgentProcess.start(home, {
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_PLATFORM_BALANCER_PATIENCE_MS: '0',
      POSTERN_PLATFORM_VALKEY_BIN: join(home, 'not-installed'),
      ...agentEnvironment,
    });
    const link = await connectNats({ servers: nats.url, name: 'test' });
    const client = new RequestClient(link);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    const service = await DatabasesFixture.launch(environment, output);
    return new DatabasesFixture(client, pool, home, agent, environment, output, service, async () => {
      client.close();
      await link.close();
      await pool.end();
      await nats.stop();
      await postgres.stop();
      await rm(home, { recursive: true });
    });
  }

  /** Stops and starts the service; provisioned databases keep running. */
  async restart(meanwhile: () => Promise<void> = async () => undefined, clock: Clock = 'of the test'): Promise<void> {
    await this.service.stop();
    await meanwhile();
    this.service = await DatabasesFixture.launch(this.environment, this.output, clock);
  }

  create(overrides: Partial<RequestInput<typeof createDatabase>> & { workspace_id: string }): Promise<CreatedDatabase> {
    return this.client.request(createDatabase, { name: 'Orders', kind: 'relational', ...overrides });
  }

  /** Runs one reconciliation and waits for the steps that it starts. */
  async reconcile(): Promise<void> {
    const reconciler = this.service.app.get(DatabaseReconciler, { strict: false });
    await reconciler.reconcile();
    await reconciler.settled();
  }

  /** Reconciles until the database is running. */
  async run({ id: database_id }: CreatedDatabase, workspace_id: string): Promise<void> {
    const status = async () => (await this.client.request(getDatabase, { workspace_id, database_id })).status;
    for (const until = Date.now() + 120_000; (await status()) !== 'running'; await this.reconcile())
      if (Date.now() > until) throw new Error('the database is not running');
  }

  /** Runs one reconciliation of backups and restores and waits for the steps that it starts. */
  async reconcileBackups(lost: AbortSignal = new AbortController().signal): Promise<void> {
    const reconciler = this.service.app.get(BackupReconciler, { strict: false });
    await reconciler.reconcile(lost);
    await reconciler.settled();
  }

  /** Returns a provider of the running service. */
  part<Part>(type: abstract new (...args: never[]) => Part): Part {
    return this.service.app.get(type as Type<Part>, { strict: false });
  }

  async query<Row>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query(statement, [...values])).rows as Row[];
  }

  async stop(): Promise<void> {
    // Before the databases, because the service would start them again.
    await this.service.stop();
    await this.agent.stopEverything();
    await this.cleanUp();
  }

  private static async launch(
    environment: Record<string, string>,
    output: Parameters<typeof startService>[2],
    clock: Clock = 'of the test',
  ): Promise<RunningService> {
    const database = migrations;
    const service = await startService(
      { name: 'platform-management', config, module: StoredDatabasesModule, database },
      { ...environment, POSTERN_LOG_LEVEL: output ? 'debug' : 'silent' },
      output,
    );
    if (clock === 'of the test') await service.app.get(Tasks, { strict: false }).stop();
    return service;
  }
}
