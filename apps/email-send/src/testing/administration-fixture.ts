import { randomBytes } from 'node:crypto';
import type { EventContract, ServiceName } from '@postern/contracts';
import { connectNats, type NatsLink, RequestClient } from '@postern/messaging';
import { type RunningService, startService, Tasks } from '@postern/service-host';
import { TestEventSource } from '@postern/service-host/testing';
import { startDnsServer, startNats, startPostgres, startSmtpSink, type TestDns, type TestSmtp } from '@postern/testing';
import pg from 'pg';
import { config } from '../config.js';
import { EmailSendModule } from '../email-send.module.js';
import { migratedDatabase, migrations } from './migrated-database.js';

/** Two replicas of the service over one real PostgreSQL, NATS, DNS and SMTP server, and a client. */
export class AdministrationFixture {
  private constructor(
    readonly replicas: readonly [RunningService, RunningService],
    readonly client: RequestClient,
    readonly link: NatsLink,
    readonly pool: pg.Pool,
    readonly dns: TestDns,
    readonly smtp: TestSmtp,
    private readonly newDatabase: () => Promise<string>,
    private readonly release: () => Promise<void>,
  ) {}

  static async start(): Promise<AdministrationFixture> {
    const [postgres, nats, dns, smtp] = await Promise.all([
      startPostgres({ durable: false }),
      startNats(),
      startDnsServer(),
      startSmtpSink(),
    ]);
    const databaseUrl = await migratedDatabase(postgres);
    const environment = {
      POSTERN_DATABASE_URL: databaseUrl,
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_LOG_LEVEL: 'silent',
      POSTERN_PUBLIC_URL: 'https://mail.test',
      POSTERN_LINK_SECRETS: randomBytes(32).toString('hex'),
      POSTERN_BOUNCE_DOMAIN: 'bounce.test',
      POSTERN_SANDBOX_DOMAIN: 'sandbox.test',
      POSTERN_RELAYS: `smtp://${smtp.host}:${smtp.port}?tls=none`,
      POSTERN_PRIVATE_DOMAIN_SUFFIXES: 'test,example,invalid',
      POSTERN_SPF_HOST: 'spf.postern.test',
      POSTERN_DNS_SERVERS: dns.address,
      POSTERN_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    };
    const database = migrations;
    const start = () => startService({ name: 'email-send', config, module: EmailSendModule, database }, environment);
    const replicas = [await start(), await start()] as const;
    // Tests run what otherwise runs on timers.
    await Promise.all(replicas.map(replica => replica.app.get(Tasks).stop()));
    const link = await connectNats({ servers: nats.url, name: 'client' });
    const client = new RequestClient(link);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    const newDatabase = () => postgres.createDatabase();
    return new AdministrationFixture(replicas, client, link, pool, dns, smtp, newDatabase, async () => {
      client.close();
      await link.close();
      await Promise.all(replicas.map(replica => replica.stop()));
      await pool.end();
      await Promise.all([dns.stop(), smtp.stop(), nats.stop()]);
      await postgres.stop();
    });
  }

  /** A log in place of another service. */
  async logOf(service: ServiceName, contracts: readonly EventContract[]): Promise<TestEventSource> {
    return TestEventSource.start({ service, contracts, link: this.link, databaseUrl: await this.newDatabase() });
  }

  stop(): Promise<void> {
    return this.release();
  }
}
