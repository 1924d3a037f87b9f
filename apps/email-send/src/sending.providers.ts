import { Injectable, type Provider } from '@nestjs/common';
import { EMAIL_SEND_EVENTS } from '@postern/contracts';
import { OutboxRelay, PostgresEventStore } from '@postern/event-sourcing/postgres';
import { DkimSigner, parseMailbox, RelaySet, TrackingTokens } from '@postern/mail';
import { NatsLink } from '@postern/messaging';
import { CONFIG, Database, Metrics, ServiceLog, serviceRelay, Tasks } from '@postern/service-host';
import { EmailsController } from './adapters/nats/emails.controller.js';
import { SuppressionsController } from './adapters/nats/suppressions.controller.js';
import { PostgresDeferredCopies } from './adapters/postgres/postgres-deferred-copies.js';
import { PostgresEmailLedger } from './adapters/postgres/postgres-email-ledger.js';
import { PostgresEmailsUnderWay } from './adapters/postgres/postgres-emails-under-way.js';
import { PostgresOpenRequests } from './adapters/postgres/postgres-open-requests.js';
import { PostgresRetention } from './adapters/postgres/postgres-retention.js';
import { PostgresSuppressionList } from './adapters/postgres/postgres-suppression-list.js';
import { PostgresUnresolvedEmails } from './adapters/postgres/postgres-unresolved-emails.js';
import { ProcessInstance } from './adapters/postgres/process-instance.js';
import { RelaySystemMail } from './adapters/smtp/relay-system-mail.js';
import { relaysFrom } from './adapters/smtp/relay-urls.js';
import { SmtpMailRelay } from './adapters/smtp/smtp-mail-relay.js';
import { ObservedEmailLedger } from './adapters/telemetry/observed-email-ledger.js';
import { ObservedMailRelay } from './adapters/telemetry/observed-mail-relay.js';
import { QuotaGauges } from './adapters/telemetry/quota-gauges.js';
import { AuthenticateApiKey } from './commands/authenticate-api-key.js';
import { GetEmail } from './commands/get-email.js';
import { SendEmail } from './commands/send-email.js';
import type { EmailSendConfig } from './config.js';
import {
  DeferredCopies,
  EmailLedger,
  EmailsUnderWay,
  MailRelay,
  OpenRequests,
  Retention,
  SendingSettings,
  SuppressionList,
  SystemMail,
  UnresolvedEmails,
} from './ports.js';
import { CloseInterruptedEmails } from './reactions/close-interrupted-emails.js';
import { FollowSuppressions } from './reactions/follow-suppressions.js';
import { PurgeExpired } from './reactions/purge-expired.js';
import { PurgeOpenRequests } from './reactions/purge-open-requests.js';
import { ResolveUnknownEmails } from './reactions/resolve-unknown-emails.js';
import { RetryDeferredCopies } from './reactions/retry-deferred-copies.js';

/**
 * The store as the sending path appends to it. It announces to the outbox alone: the read models of administration
 * have no part in messages, and would look at the feed a hundred times a second for nothing.
 */
class MessageStore extends PostgresEventStore {}

/** Longest wait for a relay; the gateway waits for 30 s. */
const HAND_OVER_DEADLINE_MS = 25_000;

const settingsFrom = (config: EmailSendConfig): SendingSettings => ({
  sandboxSender: parseMailbox(`Postern Sandbox <sandbox@${config.sandboxDomain}>`),
  sandboxSigner: config.sandboxDkimKey
    ? new DkimSigner({
        domain: config.sandboxDomain,
        selector: config.sandboxDkimSelector,
        privateKey: Buffer.from(config.sandboxDkimKey.reveal(), 'base64').toString('utf8'),
      })
    : undefined,
  simulatorDomain: config.simulatorDomain,
  copies: {
    tokens: TrackingTokens.fromSecrets(config.linkSecrets),
    publicUrl: config.publicUrl.replace(/\/+$/, ''),
    bounceDomain: config.bounceDomain,
  },
  bodyRetentionDays: config.bodyRetentionDays,
});

/** Starts what the sending path does by the clock. */
@Injectable()
export class SendingTimers {
  constructor(
    private readonly tasks: Tasks,
    private readonly interrupted: CloseInterruptedEmails,
    private readonly deferred: RetryDeferredCopies,
    private readonly expired: PurgeExpired,
    private readonly requests: PurgeOpenRequests,
  ) {}

  /** Resolves when what a crash left behind is named, so that the first repeated request finds its answer. */
  async start(): Promise<void> {
    await this.interrupted.run();
    this.tasks.every(5_000, 'close interrupted emails', () => this.interrupted.run());
    this.tasks.every(5_000, 'retry deferred copies', () => this.deferred.run());
    this.tasks.every(60_000, 'purge open requests', () => this.requests.run());
    this.tasks.every(10 * 60_000, 'purge what has expired', () => this.expired.run());
  }
}

export const sendingControllers = [EmailsController, SuppressionsController];

/** What the sending path is made of. */
export const sendingProviders: Provider[] = [
  SendEmail,
  GetEmail,
  AuthenticateApiKey,
  CloseInterruptedEmails,
  FollowSuppressions,
  PurgeExpired,
  PurgeOpenRequests,
  ResolveUnknownEmails,
  RetryDeferredCopies,
  SendingTimers,
  QuotaGauges,
  { provide: SendingSettings, inject: [CONFIG], useFactory: settingsFrom },
  {
    provide: PostgresEventStore,
    inject: [Database],
    useFactory: ({ pool }: Database) => new PostgresEventStore(pool),
  },
  { provide: MessageStore, inject: [Database], useFactory: ({ pool }: Database) => new MessageStore(pool) },
  {
    provide: ProcessInstance,
    inject: [CONFIG, ServiceLog],
    useFactory: (config: EmailSendConfig, log: ServiceLog) => ProcessInstance.begin(config.databaseUrl.reveal(), log),
  },
  {
    provide: EmailLedger,
    inject: [MessageStore, ProcessInstance, Metrics],
    useFactory: (store: MessageStore, instance: ProcessInstance, metrics: Metrics) =>
      new ObservedEmailLedger(new PostgresEmailLedger(store, instance.id), metrics),
  },
  {
    provide: EmailsUnderWay,
    inject: [Database, PostgresEventStore, ProcessInstance],
    useFactory: ({ pool }: Database, store: PostgresEventStore, instance: ProcessInstance) =>
      new PostgresEmailsUnderWay(pool, store, instance.id),
  },
  {
    provide: DeferredCopies,
    inject: [MessageStore],
    useFactory: (store: MessageStore) => new PostgresDeferredCopies(store),
  },
  {
    provide: UnresolvedEmails,
    inject: [MessageStore],
    useFactory: (store: MessageStore) => new PostgresUnresolvedEmails(store),
  },
  {
    provide: OpenRequests,
    inject: [Database],
    useFactory: ({ pool }: Database) => new PostgresOpenRequests(pool),
  },
  { provide: Retention, inject: [Database], useFactory: ({ pool }: Database) => new PostgresRetention(pool) },
  {
    provide: SuppressionList,
    inject: [Database],
    useFactory: ({ pool }: Database) => new PostgresSuppressionList(pool),
  },
  {
    provide: RelaySet,
    inject: [CONFIG],
    useFactory: (config: EmailSendConfig) =>
      RelaySet.fromConfigs(relaysFrom(config.relays.reveal(), config.bounceDomain)),
  },
  {
    provide: MailRelay,
    inject: [CONFIG, RelaySet, Metrics],
    useFactory: (config: EmailSendConfig, relays: RelaySet, metrics: Metrics) =>
      new ObservedMailRelay(
        new SmtpMailRelay(relays, {
          relayIsFinal: config.relayIsFinal,
          deadlineMs: HAND_OVER_DEADLINE_MS,
        }),
        metrics,
      ),
  },
  {
    provide: SystemMail,
    inject: [MailRelay, CONFIG, SendingSettings],
    useFactory: (relay: MailRelay, config: EmailSendConfig, settings: SendingSettings) =>
      new RelaySystemMail(relay, parseMailbox(`Postern <no-reply@${config.sandboxDomain}>`), settings.sandboxSigner),
  },
  {
    provide: OutboxRelay,
    inject: [MessageStore, NatsLink, CONFIG, ServiceLog],
    useFactory: (store: MessageStore, link: NatsLink, config: EmailSendConfig, log: ServiceLog) =>
      serviceRelay({
        service: 'email-send',
        contracts: EMAIL_SEND_EVENTS,
        store,
        link,
        log,
        maxBytes: config.eventStreamMaxBytes,
      }),
  },
];
