import { randomBytes } from 'node:crypto';
import { Module, type Type } from '@nestjs/common';
import { createProject, createWebService, type ReplyOf, type RequestInput } from '@postern/contracts';
import { connectNats, RequestClient } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { type RunningService, startService } from '@postern/service-host';
import { startDnsServer, startNats, startPostgres, type TestDns, waitFor } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { config } from '../config.js';
import { eventSourcing } from '../event-sourcing.module.js';
import { RuntimeModule } from '../infrastructure/runtime/runtime.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { CustomDomainsModule } from '../web-services/custom-domains/custom-domains.module.js';
import { DeploymentsModule } from '../web-services/deployments/deployments.module.js';
import { EnvironmentModule } from '../web-services/environment/environment.module.js';
import { ModerationModule } from '../web-services/moderation/moderation.module.js';
import { ReconcilerModule } from '../web-services/reconciler/reconciler.module.js';
import { WebServicesModule } from '../web-services/services/web-services.module.js';
import { type Caller, newCaller, type WebServiceOf } from './caller.js';
import { FakeMachine } from './fake-machine.js';
import { FakeRuntime } from './fake-runtime.js';
import { migratedDatabase, migrations } from './migrated-database.js';
import { RecordedEvents } from './recorded-events.js';
import { replaceModules } from './replace-modules.js';

/** The machine of the starting fixture; a spec file has one fixture at a time. */
let machine = new FakeMachine();

@Module({
  providers: [{ provide: Runtime, useFactory: () => new FakeRuntime(machine) }],
  exports: [Runtime],
})
class FakeRuntimeModule {}

@Module({
  imports: [
    eventSourcing,
    WebServicesModule,
    DeploymentsModule,
    CustomDomainsModule,
    EnvironmentModule,
    ProjectsModule,
    ModerationModule,
    ReconcilerModule,
  ],
})
class FeaturesModule {}

const module = replaceModules(FeaturesModule, new Map([[RuntimeModule, FakeRuntimeModule]]));

/** Only one replica consumes events, because the order across replicas is undefined. */
@Module({ imports: [module], providers: [RecordedEvents] })
class RecordingModule {}

export interface Owner extends Caller {
  readonly project_id: string;
}

/** Two complete replicas of web services, projects and environments, on real servers and a fake machine. */
export class ServedWebServices {
  private constructor(
    readonly machine: FakeMachine,
    readonly replicas: readonly RunningService[],
    readonly client: RequestClient,
    readonly pool: pg.Pool,
    readonly dns: TestDns,
    private readonly cleanUp: () => Promise<void>,
  ) {}

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<ServedWebServices> {
    machine = new FakeMachine();
    const [postgres, nats, dns] = await Promise.all([startPostgres({ durable: false }), startNats(), startDnsServer()]);
    const databaseUrl = await migratedDatabase(postgres);
    const environment = {
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_DATABASE_URL: databaseUrl,
      POSTERN_LOG_LEVEL: 'silent',
      POSTERN_DNS_SERVERS: dns.address,
      POSTERN_PLATFORM_CONCURRENT_BUILDS: '1',
      POSTERN_ENCRYPTION_KEYS: `first:${randomBytes(32).toString('base64')}`,
      ...settings,
    };
    const database = migrations;
    const replica = (module: Type) =>
      startService({ name: 'platform-management', config, module, database }, environment);
    const replicas = [await replica(RecordingModule), await replica(module)];
    const link = await connectNats({ servers: nats.url, name: 'test' });
    const client = new RequestClient(link);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    return new ServedWebServices(machine, replicas, client, pool, dns, async () => {
      client.close();
      await link.close();
      await Promise.all(replicas.map(each => each.stop()));
      await pool.end();
      await dns.stop();
      await nats.stop();
      await postgres.stop();
    });
  }

  /** Creates a user with a project. */
  async owner(): Promise<Owner> {
    const caller = newCaller();
    const project = await this.client.request(createProject, { ...caller, name: 'Shop' });
    return { ...caller, project_id: project.id };
  }

  async operator(): Promise<string> {
    const id = uuidv7();
    await this.pool.query('INSERT INTO users (id, email, operator, created_at) VALUES ($1, $2, true, now())', [
      id,
      `${id}@example.com`,
    ]);
    return id;
  }

  create(
    owner: Owner,
    overrides: Partial<RequestInput<typeof createWebService>> = {},
  ): Promise<ReplyOf<typeof createWebService>> {
    const settings = { name: 'web', git_repository_url: 'https://example.com/web.git', port: 3000 };
    return this.client.request(createWebService, { ...settings, ...owner, ...overrides });
  }

  /** Creates a web service. @returns the fields of requests of its owner about it */
  async newService(owner?: Owner): Promise<WebServiceOf> {
    const { project_id, ...caller } = owner ?? (await this.owner());
    return { ...caller, web_service_id: (await this.create({ ...caller, project_id })).id };
  }

  /** Repeats the request until the reply has the status. */
  until<Reply extends { status: string }>(request: () => Promise<Reply>, status: Reply['status']): Promise<Reply> {
    return waitFor(
      async () => {
        const reply = await request();
        return reply.status === status ? reply : undefined;
      },
      { describe: `the status ${status}`, timeoutMs: 25_000 },
    );
  }

  stop(): Promise<void> {
    return this.cleanUp();
  }
}
