import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type DataOf,
  DELIVERY_TRACKING_EVENTS,
  EMAIL_SEND_EVENTS,
  type EventContract,
  type EventPage,
  emailAccepted,
  type emailHandedOver,
  type eventEnvelope,
  type LogPosition,
  type ReplyOf,
  type RequestContract,
  type RequestInput,
} from '@postern/contracts';
import {
  latestPosition,
  migrateEventStore,
  PostgresEventStore,
  ProjectionRunner,
} from '@postern/event-sourcing/postgres';
import { TrackingTokens } from '@postern/mail';
import { connectNats, type NatsLink, RequestClient } from '@postern/messaging';
import { Database, Metrics, PublishedLog, type RunningService, startService } from '@postern/service-host';
import { TestEventSource } from '@postern/service-host/testing';
import { startNats, startPostgres, type TestNats, type TestPostgres, waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';
import { config } from '../config.js';
import { BounceListener } from '../delivery-notifications/bounce-listener.js';
import { DeliveryTrackingModule } from '../delivery-tracking.module.js';

export type Envelope = z.output<typeof eventEnvelope>;
type Accepted = DataOf<typeof emailAccepted>;
type Outcome = DataOf<typeof emailHandedOver>['outcomes'][number];

export const BOUNCE_DOMAIN = 'bounces.test';
const SECRET = 'a secret of thirty-two bytes or more for tests';

/** The whole service over real PostgreSQL, NATS and SMTP, with a log in place of email-send. */
export class RunningTracking {
  readonly tokens = TrackingTokens.fromSecrets([SECRET]);
  readonly published: Envelope[] = [];
  #stopping = false;
  readonly #recording: Promise<void>;

  private constructor(
    readonly postgres: TestPostgres,
    readonly nats: TestNats,
    readonly service: RunningService,
    readonly link: NatsLink,
    private readonly client: RequestClient,
    private readonly source: TestEventSource,
  ) {
    this.#recording = this.#record();
  }

  /** A provider of the service. */
  part<T>(token: abstract new (...args: never[]) => T): T {
    return this.service.app.get<T>(token, { strict: false });
  }

  /** The rows of a statement in the database of the service. */
  async query(sql: string, ...values: unknown[]) {
    return (await this.part(Database).pool.query(sql, values)).rows;
  }

  /** Reads what the service publishes. */
  async #record(): Promise<void> {
    const log = this.service.app.get(PublishedLog, { strict: false });
    const types = DELIVERY_TRACKING_EVENTS.map(({ type }) => type);
    let after: LogPosition | null = null;
    while (!this.#stopping) {
      // PostgreSQL may be killed by the spec.
      const page: EventPage | undefined = await log
        .page('spec', { consumer: 'recorded', types, after })
        .catch(() => undefined);
      this.published.push(...(page?.events ?? []));
      after = page ? page.position : after;
      if (!page?.more) await pause(10);
    }
  }

  /** A spec that kills PostgreSQL needs a durable one; the others lose acknowledged commits. */
  static async start(environment: Record<string, string> = {}, { durable = false } = {}): Promise<RunningTracking> {
    const [postgres, nats] = await Promise.all([startPostgres({ shared: false, durable }), startNats()]);
    const service = await startService(
      {
        name: 'delivery-tracking',
        config,
        module: DeliveryTrackingModule,
        database: {
          directory: new URL('../../../../prisma/delivery-tracking/migrations', import.meta.url),
          afterwards: migrateEventStore,
        },
      },
      {
        POSTERN_DATABASE_URL: await postgres.createDatabase(),
        POSTERN_NATS_SERVERS: nats.url,
        POSTERN_NATS_URL: nats.url,
        POSTERN_LINK_SECRETS: SECRET,
        POSTERN_BOUNCE_DOMAIN: BOUNCE_DOMAIN,
        POSTERN_COMPLAINT_CLIENTS: '127.0.0.1',
        POSTERN_PRIVATE_DOMAIN_SUFFIXES: 'test',
        POSTERN_SWEEP_INTERVAL_MS: '50',
        POSTERN_LOG_LEVEL: 'silent',
        ...environment,
      },
    );
    const link = await connectNats({ servers: nats.url, name: 'email-send' });
    const databaseUrl = await postgres.createDatabase();
    const source = await TestEventSource.start({
      ...{ service: 'email-send', contracts: EMAIL_SEND_EVENTS, link, databaseUrl },
    });
    return new RunningTracking(postgres, nats, service, link, new RequestClient(link), source);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#recording;
    await this.source.stop();
    this.client.close();
    await this.link.close();
    await this.service.stop();
    await Promise.all([this.nats.stop(), this.postgres.stop()]);
  }

  get smtpPort(): number {
    return this.service.app.get(BounceListener, { strict: false }).port;
  }

  /** Resolves once the read models contain everything committed so far. */
  async caughtUp(): Promise<void> {
    const { app } = this.service;
    const runner = app.get(ProjectionRunner, { strict: false });
    const position = await latestPosition(app.get(PostgresEventStore, { strict: false }).pool);
    for (const name of ['tracked-emails', 'suppressed-addresses']) await runner.waitUntil(name, position);
  }

  request<C extends RequestContract>(contract: C, request: RequestInput<C>): Promise<ReplyOf<C>> {
    return this.client.request(contract, request);
  }

  /** Publishes events as email-send would; returns their ids. */
  async publish(...events: readonly (TestEvent | [EventContract, object])[]): Promise<string[]> {
    const batch = events.map(event => {
      const [contract, data, id = uuidv7()] = event as TestEvent;
      return {
        id,
        type: contract.type,
        data,
        metadata: { correlationId: id },
      };
    });
    await this.source.publish(batch);
    return batch.map(({ id }) => id);
  }

  /** The return path of one recipient's copy. */
  returnPath(emailId: string, index = 0): string {
    return `${this.tokens.returnPathToken(emailId, index)}@${BOUNCE_DOMAIN}`;
  }

  /** The kinds of events published about an email so far. */
  kinds(emailId: string): string[] {
    return this.eventsOf(emailId).map(({ type }) => type.replace(/^.*\.email-|^.*\.|\.v1$/g, ''));
  }

  eventsOf(emailId: string): Envelope[] {
    return this.published.filter(({ data }) => (data as { email_id?: string }).email_id === emailId);
  }

  /** Waits for a published event of an email. */
  async event<C extends EventContract>(contract: C, emailId: string): Promise<DataOf<C>> {
    const found = await waitFor(() => this.eventsOf(emailId).find(({ type }) => type === contract.type), {
      describe: () => `${contract.type} of ${emailId}; there were ${this.kinds(emailId).join(', ') || 'none'}`,
    });
    return found.data as DataOf<C>;
  }

  /** The value of a counter at the metrics endpoint. */
  async counter(name: string, label: string): Promise<number> {
    const text = await this.service.app.get(Metrics, { strict: false }).render();
    const line = text
      .split('\n')
      .find(candidate => candidate.startsWith(`${name}_total{`) && candidate.includes(label));
    return Number(line?.split(' ')[1] ?? 0);
  }
}

type TestEvent = [contract: EventContract, data: object, id?: string];

/** A new message to one or more recipients. */
export const anEmail = (change: Partial<Accepted> = {}): Accepted => ({
  email_id: uuidv7(),
  service_id: randomUUID(),
  workspace_id: randomUUID(),
  mode: 'production',
  from: 'Shop <shop@example.com>',
  subject: 'Your receipt',
  recipients: [{ index: 0, address: 'ada@x.test', role: 'to' }],
  message_id: `${randomUUID()}@example.com`,
  counts: true,
  accepted_at: new Date().toISOString(),
  ...change,
});

/** The hand-over of a message; by default the relay accepts every copy. */
export const handOverOf = (
  email: Accepted,
  change: Partial<Outcome> = {},
  status: 'sent' | 'failed' = 'sent',
): DataOf<typeof emailHandedOver> => ({
  email_id: email.email_id,
  service_id: email.service_id,
  status,
  message: 'Handed over for delivery.',
  outcomes: email.recipients.map(({ index, address }) => ({
    index,
    address,
    result: 'accepted',
    smtp_response: '250 2.0.0 queued',
    relay: 'relay.test',
    relay_is_final: false,
    at: new Date().toISOString(),
    ...change,
  })),
});
