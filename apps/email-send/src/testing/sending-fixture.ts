import { createHash, randomBytes } from 'node:crypto';
import type { RequestInput, sendEmail as sendEmailContract } from '@postern/contracts';
import { sendEmailBody } from '@postern/contracts';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { DkimSigner, generateDkimKeyPair, parseMailbox, RelaySet, TrackingTokens } from '@postern/mail';
import { silentLog } from '@postern/messaging';
import { type Database, KeyRing, type ServiceLog } from '@postern/service-host';
import { startPostgres, startSmtpSink, type TestPostgres, type TestSmtp } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { type Sender, SenderDirectory } from '../api-keys/ports.js';
import { DeferredCopies } from '../deferred-copies/deferred-copies.js';
import { RetryDeferredCopies } from '../deferred-copies/retry-deferred-copies.js';
import type { EmailServices } from '../email-services/email-services.projection.js';
import { BodySeal } from '../emails/body-seal.js';
import { CompleteEmail } from '../emails/complete-email.js';
import { emailStream } from '../emails/email.js';
import { PostgresEmailRepository } from '../emails/postgres-email-repository.js';
import { SendEmail } from '../emails/send-email.js';
import { UnresolvedEmails } from '../emails/unresolved-emails.js';
import { ProcessInstance } from '../infrastructure/postgres/process-instance.js';
import { CloseInterruptedEmails } from '../interrupted-emails/close-interrupted-emails.js';
import { EmailsInProgress } from '../interrupted-emails/emails-in-progress.js';
import { SendingSettings } from '../relay/ports.js';
import { SmtpMailRelay } from '../relay/smtp-mail-relay.js';
import { SuppressionList } from '../suppressions/suppression-list.js';
import { TemplateRepository } from '../templates/template-repository.js';
import { Templates } from '../templates/templates.js';
import { migratedDatabase } from './migrated-database.js';

type Request = RequestInput<typeof sendEmailContract>;
type Body = Request['email'];

export const TRACKING = TrackingTokens.fromSecrets(['a secret of the tests that is long enough']);

/** Senders by the hash of their key. */
export class KnownSenders extends SenderDirectory {
  readonly senders = new Map<string, Sender>();
  /** Errors of the next lookups by service. */
  readonly failures: Error[] = [];

  async findByKeyHash(keyHash: string): Promise<Sender | undefined> {
    return this.senders.get(keyHash);
  }

  async findByService(serviceId: string): Promise<Sender | undefined> {
    const failure = this.failures.shift();
    if (failure) throw failure;
    return [...this.senders.values()].find(known => known.serviceId === serviceId);
  }
}

/** The database of the tests runs on the same machine. */
const CLOCK = { now: () => new Date() };

class TestSettings extends SendingSettings {
  readonly sandboxSender = parseMailbox('Postern Sandbox <sandbox@sandbox.test>');
  readonly sandboxDomain = { signers: [] };
  readonly simulatorDomain = 'simulator.test';
  readonly copies = {
    tokens: TRACKING,
    publicUrl: 'https://mail.test',
    bounceDomain: 'bounce.test',
    copyIdHeaders: [],
  };
  readonly bodyRetentionDays = 7;
  readonly messageRetentionDays = 90;
}

/** Without the wait for leases that live processes renew. */
class EmailsInProgressWithoutGrace extends EmailsInProgress {
  protected override readonly graceS = 0;
}

/** Without the wait after a restart of PostgreSQL. */
class DeferredCopiesWithoutGrace extends DeferredCopies {
  protected override readonly graceAfterRestartS = 0;
}

/** One process of the sending path, over a real database and a real SMTP server. */
export interface Process {
  readonly pool: pg.Pool;
  readonly instance: ProcessInstance;
  readonly sendEmail: SendEmail;
  readonly emails: PostgresEmailRepository;
  readonly copies: DeferredCopies;
  readonly suppressions: SuppressionList;
  readonly unresolved: UnresolvedEmails;
  readonly closeInterrupted: CloseInterruptedEmails;
  readonly retryDeferred: RetryDeferredCopies;
  /** Simulates the end of a process whose lease is over: nothing is finished, nothing more is written. */
  die(): Promise<void>;
}

/** The sending path with real dependencies; the test provides the senders. */
export class SendingFixture {
  readonly senders = new KnownSenders();
  readonly settings = new TestSettings();
  readonly seal = new BodySeal(new KeyRing([{ id: 'test', key: randomBytes(32) }]));
  readonly #processes: { close(): Promise<void> }[] = [];

  private constructor(
    readonly postgres: TestPostgres,
    readonly databaseUrl: string,
    readonly pool: pg.Pool,
    readonly smtp: TestSmtp,
    readonly signer: DkimSigner,
  ) {}

  /** A server `ofItsOwn` serves nothing else, and writes no full pages to its log, which depend on the time. */
  static async start({ ofItsOwn = false } = {}): Promise<SendingFixture> {
    const postgres = await startPostgres(ofItsOwn ? { settings: { full_page_writes: 'off' } } : {});
    const databaseUrl = await migratedDatabase(postgres);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
    pool.on('error', () => {});
    const { privateKey } = await generateDkimKeyPair();
    const signer = new DkimSigner({ domain: 'example.com', selector: 'test', privateKey });
    return new SendingFixture(postgres, databaseUrl, pool, await startSmtpSink(), signer);
  }

  async stop(): Promise<void> {
    for (const process of this.#processes) await process.close();
    await this.pool.end();
    await this.smtp.stop();
    await this.postgres.stop();
  }

  /** Adds a sender; returns it with the hash of its key. */
  sender(changes: Partial<Sender> = {}): { keyHash: string; sender: Sender } {
    const sender: Sender = {
      serviceId: uuidv7(),
      workspaceId: uuidv7(),
      enabled: true,
      mode: 'production',
      openTracking: false,
      clickTracking: false,
      suppression: false,
      perMinuteLimit: 600,
      dailyLimit: 1_000,
      sharedDailyLimit: 50,
      verifiedDomains: new Map([['example.com', { signers: [this.signer] }]]),
      registeredDomains: new Set(['example.com']),
      verifiedRecipients: new Set(),
      ...changes,
    };
    const keyHash = createHash('sha256').update(sender.serviceId).digest('hex');
    this.senders.senders.set(keyHash, sender);
    return { keyHash, sender };
  }

  async process(port = this.smtp.port, databaseUrl = this.databaseUrl, handOverDeadlineMs = 10_000): Promise<Process> {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
    pool.on('error', () => {});
    const store = new PostgresEventStore(pool);
    const instance = await ProcessInstance.start(pool, silentLog);
    const emails = new PostgresEmailRepository(store, instance, this.seal, CLOCK);
    const copies = new DeferredCopiesWithoutGrace(store, this.seal);
    const suppressions = new SuppressionList({ pool });
    const relays = RelaySet.fromConfigs([
      {
        relay: 'upstream',
        host: '127.0.0.1',
        port,
        security: 'none',
        name: 'postern.test',
        maxConnections: 20,
        connectTimeoutMs: 2_000,
        silenceTimeoutMs: 1_000,
        answerTimeoutMs: 20_000,
        queueTimeoutMs: 5_000,
      },
    ]);
    const relay = new SmtpMailRelay(relays, { relayIsFinal: false, handOverDeadlineMs }, CLOCK);
    const close = async () => {
      await relay.onApplicationShutdown();
      await instance.onApplicationShutdown();
      if (!pool.ended) await pool.end();
    };
    this.#processes.push({ close });
    return {
      pool,
      instance,
      emails,
      copies,
      suppressions,
      unresolved: new UnresolvedEmails(store),
      sendEmail: new SendEmail(
        this.senders,
        suppressions,
        emails,
        relay,
        this.settings,
        this.completionOf(pool),
        CLOCK,
      ),
      closeInterrupted: new CloseInterruptedEmails(new EmailsInProgressWithoutGrace(store, instance), emails),
      retryDeferred: new RetryDeferredCopies(
        copies,
        relay,
        this.senders,
        suppressions,
        this.settings,
        silentLog as ServiceLog,
        CLOCK,
      ),
      die: async () => {
        await instance.onApplicationShutdown();
        await pool.end();
      },
    };
  }

  /** Renders templates in a process. */
  completionOf(pool: pg.Pool): CompleteEmail {
    const templates = new TemplateRepository({ pool } as Database);
    return new CompleteEmail(new Templates({} as EmailServices, templates));
  }

  /** The events of one message, in order. */
  async events(emailId: string) {
    return new PostgresEventStore(this.pool).readStream(emailStream(emailId));
  }

  async count(table: string): Promise<number> {
    const { rows } = await this.pool.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
    return Number(rows[0]!.count);
  }

  /** Messages between admission and outcome. */
  inProgress(): Promise<number> {
    return this.count('open_requests AS request WHERE NOT EXISTS (SELECT FROM emails WHERE id = request.email_id)');
  }

  async usedToday(serviceId: string): Promise<number> {
    const { rows } = await this.pool.query<{ used: number }>(
      `SELECT used FROM sending_usage WHERE service_id = $1 AND period = 'day'`,
      [serviceId],
    );
    return rows[0]?.used ?? 0;
  }
}

/** A request as the gateway sends it. */
export function request(keyHash: string, changes: Partial<Body> = {}, idempotencyKey?: string) {
  const email = sendEmailBody.parse({
    from: 'Shop <shop@example.com>',
    to: ['ada@x.test'],
    subject: 'Your order',
    text: 'Thank you.',
    ...changes,
  });
  return {
    api_key_hash: keyHash,
    answer_within_ms: 30_000,
    email,
    ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
  };
}

/** The error that a promise was rejected with. */
export async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    value => ({ unexpected: value }),
    error => error,
  );
}
