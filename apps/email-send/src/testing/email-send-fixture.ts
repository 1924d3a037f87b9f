import { createHash, randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import {
  createApiKey,
  createEmailService,
  EMAIL_SEND_EVENTS,
  type EnvelopeOf,
  preAddRecipient,
} from '@postern/contracts';
import { connectNats, HandlesEvents, type NatsLink, RequestClient } from '@postern/messaging';
import { type RunningService, startService } from '@postern/service-host';
import {
  startNats,
  startPostgres,
  startSmtpSink,
  type TestNats,
  type TestPostgres,
  type TestSmtp,
} from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { config } from '../config.js';
import { EmailSendModule } from '../email-send.module.js';
import { migratedDatabase, migrations } from './migrated-database.js';

type EmailSendEvent = EnvelopeOf<(typeof EMAIL_SEND_EVENTS)[number]>;

/** Receives the events of email-send, in its own process. */
class Listener {
  static readonly received: EmailSendEvent[] = [];

  @HandlesEvents(EMAIL_SEND_EVENTS, { consumer: 'received' })
  receive(batch: readonly EmailSendEvent[]): void {
    Listener.received.push(...batch);
  }
}

@Module({ imports: [EmailSendModule], providers: [Listener] })
class ListeningModule {}

/** The whole service, a client that calls it as the gateway does, and a listener that receives its events. */
export class EmailSendFixture {
  private constructor(
    readonly postgres: TestPostgres,
    readonly nats: TestNats,
    readonly smtp: TestSmtp,
    readonly environment: Readonly<Record<string, string>>,
    readonly link: NatsLink,
    readonly client: RequestClient,
  ) {}

  static async start(smtpPort?: number): Promise<EmailSendFixture> {
    const [postgres, nats, smtp] = await Promise.all([startPostgres(), startNats(), startSmtpSink()]);
    const everywhere = { POSTERN_NATS_SERVERS: nats.url, POSTERN_LOG_LEVEL: 'silent' };
    const environment = {
      ...everywhere,
      POSTERN_DATABASE_URL: await migratedDatabase(postgres),
      POSTERN_PUBLIC_URL: 'https://mail.test/',
      POSTERN_LINK_SECRETS: 'a secret of the tests that is long enough',
      POSTERN_BOUNCE_DOMAIN: 'bounce.test',
      POSTERN_SANDBOX_DOMAIN: 'sandbox.test',
      POSTERN_PRIVATE_DOMAIN_SUFFIXES: 'test,example,invalid',
      POSTERN_SPF_HOST: 'spf.test',
      POSTERN_RELAYS: `smtp://127.0.0.1:${smtpPort ?? smtp.port}?tls=none`,
      POSTERN_ENCRYPTION_KEYS: `first:${randomBytes(32).toString('base64')}`,
    };
    const link = await connectNats({ servers: nats.url, name: 'gateway of the test' });
    Listener.received.length = 0;
    return new EmailSendFixture(postgres, nats, smtp, environment, link, new RequestClient(link));
  }

  service(): Promise<RunningService> {
    return startService(
      {
        name: 'email-send',
        config,
        module: ListeningModule,
        database: migrations,
      },
      this.environment,
    );
  }

  get received(): readonly EmailSendEvent[] {
    return Listener.received;
  }

  /** Creates an email service with a key and a verified recipient. */
  async sandbox(recipient: string): Promise<{ serviceId: string; keyHash: string }> {
    const workspace_id = uuidv7();
    const { id: service_id } = await this.client.request(createEmailService, { workspace_id, name: 'Shop' });
    const { key } = await this.client.request(createApiKey, { workspace_id, service_id, name: 'test' });
    await this.client.request(preAddRecipient, { workspace_id, service_id, address: recipient });
    return { serviceId: service_id, keyHash: createHash('sha256').update(key).digest('hex') };
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.link.close();
    await Promise.all([this.nats.stop(), this.postgres.stop(), this.smtp.stop()]);
  }
}
