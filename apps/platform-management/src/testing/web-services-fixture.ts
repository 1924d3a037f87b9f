import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createWebService, deploymentInput, type RequestInput } from '@postern/contracts';
import type { EventMetadata } from '@postern/event-sourcing';
import { PostgresEventStore, ProjectionRunner, withLeadership } from '@postern/event-sourcing/postgres';
import { Database, EventSourcing, KeyRing, Metrics } from '@postern/service-host';
import { Secret } from '@postern/service-host/config';
import { startPostgres, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { webServices } from '../projections.js';
import type { PlatformVariables } from '../web-services/environment/platform-variables.js';
import { DeleteOldConfigurations } from '../web-services/reconciler/delete-old-configurations.js';
import { RepositoryCredentials } from '../web-services/repository-credentials/repository-credentials.js';
import { WebServiceRepository } from '../web-services/services/web-service-repository.js';
import { assembleReplica, type Commands, SETTINGS, type Settings, silentLog } from './assemble-replica.js';
import { FakeMachine } from './fake-machine.js';
import { CALLER, FakeConfigurations, OWNER, ofService, PROJECT, WORKSPACE } from './fake-neighbours.js';
import { FakeRuntime } from './fake-runtime.js';
import { migratedDatabase } from './migrated-database.js';

/** A replica of the service, without NATS. */
export interface Replica {
  readonly platformVariables: PlatformVariables;
  readonly runtime: FakeRuntime;
  readonly commands: Commands;
  readonly credentials: RepositoryCredentials;
  readonly repository: WebServiceRepository;
  /** Returns a new instance that has not checked any web service. */
  deleteOldConfigurations(historyOf?: WebServiceRepository['historyOf']): DeleteOldConfigurations;
  /** The metrics exported to Prometheus. */
  readonly metrics: Metrics;
  /** Like kill -9: afterwards the replica changes neither the database nor the machine. */
  kill(): Promise<void>;
  /** Like SIGTERM. */
  stop(): Promise<void>;
}

export interface DeploymentRow {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly branch: string | null;
  readonly commit: string | null;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** Replicas of web services on one real PostgreSQL and one fake machine. */
export class WebServicesFixture {
  readonly machine = new FakeMachine();
  readonly configurations = new FakeConfigurations();
  readonly keys = new KeyRing([{ id: 'test', key: randomBytes(32) }]);
  readonly #replicas = new Set<Replica>();
  #names = 0;

  private constructor(
    readonly postgres: TestPostgres,
    readonly databaseUrl: string,
    readonly pool: pg.Pool,
  ) {}

  static async start(): Promise<WebServicesFixture> {
    const postgres = await startPostgres({ durable: false });
    const databaseUrl = await migratedDatabase(postgres);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    pool.on('error', () => {});
    await pool.query(
      `INSERT INTO projects (id, user_id, workspace_id, name, created_at) VALUES ($1, $2, $3, 'Shop', now())`,
      [PROJECT, OWNER, WORKSPACE],
    );
    return new WebServicesFixture(postgres, databaseUrl, pool);
  }

  async stop(): Promise<void> {
    await this.stopReplicas();
    await this.pool.end();
    await this.postgres.stop();
  }

  async stopReplicas(): Promise<void> {
    await Promise.all([...this.#replicas].map(replica => replica.stop()));
  }

  /**
   * Stops the replicas and resets the script and configuration for the next test.
   * @throws if rolls or stops of one service overlapped.
   */
  async reset(): Promise<void> {
    await this.stopReplicas();
    this.machine.reset();
    this.configurations.today = { environment: {}, secrets: [], sources: {} };
    this.configurations.attached = {};
    this.configurations.failure = undefined;
    if (this.machine.overlaps > 0)
      throw new Error(`${this.machine.overlaps} rolls and stops of one service overlapped`);
  }

  async replica(changes: Partial<Settings> = {}, drives = true): Promise<Replica> {
    const settings = { ...SETTINGS, ...changes };
    const name = `replica-${++this.#names}`;
    const database = this.#openDatabase(name);
    const { pool } = database;
    const store = new PostgresEventStore(pool);
    const runner = new ProjectionRunner({ store, projections: [webServices], pollMs: 50 });
    const parts = assembleReplica(this, database, new EventSourcing(store, runner), settings);
    await runner.start();
    const stopping = new AbortController();
    const drive = (stop: AbortSignal) =>
      withLeadership(pool, 'reconcile web services', stop, signal => parts.reconciler.run({ signal }));
    const driving = drives ? repeat(drive, stopping.signal) : Promise.resolve();
    const replica: Replica = {
      ...parts,
      kill: async () => {
        this.#replicas.delete(replica);
        parts.runtime.kill();
        pool.connect = pool.query = () => Promise.reject(new Error('the process was killed'));
        stopping.abort();
        await this.pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
          name,
        ]);
        await Promise.all([driving, runner.stop()]);
        // As if the time of its leases had passed.
        await this.pool.query('UPDATE event_store.leases SET expires_at = clock_timestamp()');
      },
      stop: async () => {
        this.#replicas.delete(replica);
        stopping.abort();
        await driving;
        await runner.stop();
        await database.close();
      },
    };
    this.#replicas.add(replica);
    return replica;
  }

  #openDatabase(name: string): Database {
    const config = {
      databaseUrl: new Secret(this.databaseUrl),
      databasePoolSize: 8,
      databaseStatementTimeoutMs: 30_000,
      databaseIdleInTransactionTimeoutMs: 30_000,
    };
    return new Database(config, name, silentLog);
  }

  async createService(
    { commands }: Replica,
    overrides: Partial<RequestInput<typeof createWebService>> = {},
  ): Promise<string> {
    const request = createWebService.request.parse({
      ...CALLER,
      project_id: PROJECT,
      name: 'shop',
      git_repository_url: 'https://git.example.com/shop.git',
      port: 3000,
      ...overrides,
    });
    return commands.createWebService(request);
  }

  async deploy({ commands }: Replica, id: string, branch?: string): Promise<string> {
    const request = { ...ofService(id), ...deploymentInput.parse({ branch }) };
    return (await commands.deploy.execute(request)).id;
  }

  /** Creates a service with one live deployment. */
  async runningService(replica: Replica, overrides: Partial<RequestInput<typeof createWebService>> = {}) {
    const id = await this.createService(replica, overrides);
    const deploymentId = await this.deploy(replica, id);
    await this.untilDeployment(deploymentId, 'live');
    return { id, deploymentId };
  }

  async deployment(id: string): Promise<DeploymentRow> {
    const { rows } = await this.pool.query<DeploymentRow>('SELECT * FROM deployments WHERE id = $1', [id]);
    return rows[0]!;
  }

  untilDeployment(id: string, status: string): Promise<DeploymentRow> {
    return waitFor(
      async () => {
        const row = await this.deployment(id);
        return row?.status === status ? row : undefined;
      },
      { describe: `deployment ${id} to be ${status}` },
    ).catch(async error => {
      throw new Error(`${error.message}; it is ${JSON.stringify(await this.deployment(id))}`);
    });
  }

  async service(id: string): Promise<{ status: string; status_reason: string | null }> {
    const { rows } = await this.pool.query('SELECT * FROM web_services WHERE id = $1', [id]);
    return rows[0];
  }

  untilService(id: string, status: string): Promise<{ status: string; status_reason: string | null }> {
    return waitFor(
      async () => {
        const row = await this.service(id);
        return row.status === status ? row : undefined;
      },
      { describe: `web service ${id} to be ${status}` },
    ).catch(async error => {
      throw new Error(`${error.message}; it is ${JSON.stringify(await this.service(id))}`);
    });
  }

  async deploymentsOf(id: string): Promise<DeploymentRow[]> {
    const { rows } = await this.pool.query<DeploymentRow>(
      'SELECT * FROM deployments WHERE web_service_id = $1 ORDER BY number',
      [id],
    );
    return rows;
  }

  async eventsOf(id: string): Promise<string[]> {
    const events = await new PostgresEventStore(this.pool).readStream(`web-service-${id}`);
    return events.map(({ type }) => type.replace(/^platform-management\.|\.v1$/g, ''));
  }

  /** Returns the metadata of the events of a service, in order. */
  async metadataOf(id: string): Promise<EventMetadata[]> {
    const events = await new PostgresEventStore(this.pool).readStream(`web-service-${id}`);
    return events.map(({ metadata }) => metadata);
  }
}

async function repeat(work: (signal: AbortSignal) => Promise<unknown>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await work(stop).catch(() => {});
    await pause(20, undefined, { signal: stop }).catch(() => {});
  }
}
