import { randomBytes } from 'node:crypto';
import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { migrateEventStore, PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { parseMailbox, RelaySet } from '@postern/mail';
import { connectNats, type NatsLink, RequestClient } from '@postern/messaging';
import {
  CONFIG,
  type ConfigOf,
  Database,
  defineConfig,
  integer,
  type RunningService,
  startService,
} from '@postern/service-host';
import { startDnsServer, startNats, startPostgres, startSmtpSink, type TestDns, type TestSmtp } from '@postern/testing';
import pg from 'pg';
import { RelaySystemMail } from '../adapters/smtp/relay-system-mail.js';
import { SmtpMailRelay } from '../adapters/smtp/smtp-mail-relay.js';
import { administrationControllers, administrationProviders } from '../administration.providers.js';
import { administrationSettings } from '../administration-settings.js';
import { MailRelay, SystemMail } from '../ports.js';
import { administration } from '../projections/administration.js';

const config = defineConfig({
  ...administrationSettings,
  relayPort: integer().describe('Port of the SMTP server on this machine.'),
});
type Config = ConfigOf<typeof config>;

const relaysAt = (port: number): RelaySet =>
  RelaySet.fromConfigs([
    {
      relay: 'upstream',
      host: '127.0.0.1',
      port,
      security: 'none',
      name: 'postern.test',
      maxConnections: 4,
      connectTimeoutMs: 1_000,
      silenceTimeoutMs: 5_000,
      queueTimeoutMs: 5_000,
    },
  ]);

@Module({
  controllers: administrationControllers,
  providers: [
    {
      provide: PostgresEventStore,
      inject: [Database],
      useFactory: ({ pool }: Database) => new PostgresEventStore(pool),
    },
    {
      provide: ProjectionRunner,
      inject: [PostgresEventStore],
      useFactory: (store: PostgresEventStore) => new ProjectionRunner({ store, projections: [administration] }),
    },
    {
      provide: MailRelay,
      inject: [CONFIG],
      useFactory: ({ relayPort }: Config) =>
        new SmtpMailRelay(relaysAt(relayPort), { relayIsFinal: false, deadlineMs: 5_000 }),
    },
    {
      provide: SystemMail,
      inject: [MailRelay],
      useFactory: (relay: MailRelay) => new RelaySystemMail(relay, parseMailbox('no-reply@sandbox.test'), undefined),
    },
    ...administrationProviders,
  ],
})
class AdministrationModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly projections: ProjectionRunner) {}

  onApplicationBootstrap(): Promise<void> {
    return this.projections.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.projections.stop();
  }
}

/** Two replicas of administration over one real PostgreSQL, NATS, DNS and SMTP server, and somebody who asks them. */
export class AdministrationFixture {
  private constructor(
    readonly replicas: readonly [RunningService, RunningService],
    readonly client: RequestClient,
    readonly link: NatsLink,
    readonly pool: pg.Pool,
    readonly dns: TestDns,
    readonly smtp: TestSmtp,
    private readonly letGo: () => Promise<void>,
  ) {}

  static async start(): Promise<AdministrationFixture> {
    const [postgres, nats, dns, smtp] = await Promise.all([
      startPostgres({ durable: false }),
      startNats(),
      startDnsServer(),
      startSmtpSink(),
    ]);
    const databaseUrl = await postgres.createDatabase();
    const environment = {
      POSTERN_DATABASE_URL: databaseUrl,
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_LOG_LEVEL: 'silent',
      POSTERN_SPF_HOST: 'spf.postern.test',
      POSTERN_DNS_SERVERS: dns.address,
      POSTERN_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      POSTERN_RELAY_PORT: String(smtp.port),
    };
    const directory = new URL('../../../../prisma/email-send/migrations', import.meta.url);
    const start = () =>
      startService(
        {
          name: 'email-send',
          config,
          module: AdministrationModule,
          database: { directory, afterwards: migrateEventStore },
        },
        environment,
      );
    const replicas = [await start(), await start()] as const;
    const link = await connectNats({ servers: nats.url, name: 'asker' });
    const client = new RequestClient(link);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    return new AdministrationFixture(replicas, client, link, pool, dns, smtp, async () => {
      client.close();
      await link.close();
      await Promise.all(replicas.map(replica => replica.stop()));
      await pool.end();
      await Promise.all([dns.stop(), smtp.stop(), nats.stop()]);
      await postgres.stop();
    });
  }

  stop(): Promise<void> {
    return this.letGo();
  }
}
