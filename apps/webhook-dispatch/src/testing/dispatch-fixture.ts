import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { DELIVERY_TRACKING_EVENTS, type OutcomeKind, type webhookPayload } from '@postern/contracts';
import { connectNats, type NatsLink, RequestClient } from '@postern/messaging';
import { type RunningService, startService } from '@postern/service-host';
import { TestEventSource } from '@postern/service-host/testing';
import {
  type ReceivedRequest,
  startHttpReceiver,
  startNats,
  startPostgres,
  type TestHttpReceiver,
  type TestNats,
  type TestPostgres,
} from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { config } from '../config.js';
import { WebhookDispatchModule } from '../webhook-dispatch.module.js';
import { migratedDatabase, migrations } from './migrated-database.js';

export type Payload = (typeof webhookPayload)['_output'];

export interface FixtureOptions {
  readonly allowPrivate?: boolean;
  /** A PostgreSQL that serves no other spec file. */
  readonly ofItsOwn?: boolean;
}

/** webhook-dispatch with real PostgreSQL and NATS, an HTTP receiver, and a log in place of delivery-tracking. */
export class DispatchFixture {
  private constructor(
    /** The settings of `service`. */
    readonly environment: Readonly<Record<string, string>>,
    private readonly postgres: TestPostgres,
    private readonly nats: TestNats,
    readonly natsLink: NatsLink,
    readonly source: TestEventSource,
    readonly service: RunningService,
    readonly receiver: TestHttpReceiver,
    readonly client: RequestClient,
  ) {}

  static async start({ allowPrivate = true, ofItsOwn = false }: FixtureOptions = {}): Promise<DispatchFixture> {
    const [postgres, nats] = await Promise.all([startPostgres({ durable: false, shared: !ofItsOwn }), startNats()]);
    const environment = {
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_DATABASE_URL: await migratedDatabase(postgres),
      POSTERN_HTTP_PORT: '0',
      POSTERN_LOG_LEVEL: 'error',
      POSTERN_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      POSTERN_WEBHOOKS_ALLOW_PRIVATE: String(allowPrivate),
    };
    const service = await startService(
      { name: 'webhook-dispatch', config, module: WebhookDispatchModule, database: migrations },
      environment,
    );
    const link = await connectNats({ servers: nats.url, name: 'test' });
    return new DispatchFixture(
      environment,
      postgres,
      nats,
      link,
      await TestEventSource.start({
        service: 'delivery-tracking',
        contracts: DELIVERY_TRACKING_EVENTS,
        link,
        databaseUrl: await postgres.createDatabase(),
      }),
      service,
      await startHttpReceiver(),
      new RequestClient(link),
    );
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.source.stop();
    await this.natsLink.close();
    await this.receiver.stop();
    await this.nats.stop();
    await this.postgres.stop();
  }

  /** Publishes one event as delivery-tracking would; returns the id of its email. */
  async publish(kind: OutcomeKind, serviceId: string, data: object = DATA[kind], id = uuidv7()): Promise<string> {
    const emailId = randomUUID();
    await this.source.publish([{ ...eventOf(kind, serviceId, emailId, data), id }]);
    return emailId;
  }

  /** Publishes events at once; returns the ids of their emails. */
  async publishAll(kind: OutcomeKind, serviceId: string, count: number): Promise<string[]> {
    const emailIds = Array.from({ length: count }, () => randomUUID());
    await this.source.publish(emailIds.map(emailId => eventOf(kind, serviceId, emailId, DATA[kind])));
    return emailIds;
  }

  /** Waits for the request about an email. */
  requestFor(emailId: string, timeoutMs = 10_000): Promise<ReceivedRequest> {
    return this.receiver.nextRequest(({ body }) => payloadIn(body).email_id === emailId, { timeoutMs });
  }
}

const eventOf = (kind: OutcomeKind, service_id: string, email_id: string, data: object) => ({
  id: uuidv7(),
  type: `delivery-tracking.email-${kind}.v1`,
  data: {
    email_id,
    service_id,
    recipient_index: 0,
    to: 'ada@customers.test',
    from: 'Shop <orders@shop.test>',
    subject: 'Your receipt',
    timestamp: '2026-01-02T03:04:05.678Z',
    counts: true,
    data,
  },
});

export const payloadIn = (body: Buffer): Payload => JSON.parse(body.toString('utf8')) as Payload;

export const signatureOf = (secret: string, { headers, body }: ReceivedRequest): string =>
  createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(body).digest('hex');

const DATA: Record<OutcomeKind, object> = {
  delivered: { smtp_response: '250 2.0.0 queued' },
  bounced: { bounce_type: 'hard', reason: '550 5.1.1 no such user' },
  complained: { source: 'abuse 192.0.2.9' },
  opened: { user_agent: 'Mail/1', ip: '192.0.2.1' },
  clicked: { url: 'https://shop.test/' },
};
