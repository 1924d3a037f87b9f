import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { selfSignedCertificate } from '@postern/mail';
import {
  CONFIG,
  certificateFrom,
  clientNetworkOf,
  passedSocket,
  ServiceLog,
  SmtpConnections,
} from '@postern/service-host';
import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { DeliveryTrackingConfig } from '../config.js';
import { MessageLimit } from './message-limit.js';
import { type ReceivedReport } from './ports.js';
import { isReportsMailbox, ReceiveDomainReports } from './receive-domain-reports.js';
import { ReceiveReport } from './receive-report.js';
import { ReportMetrics } from './report-metrics.js';

/** A report has one return path; the limit tolerates mail systems that send a report to several. */
const MAX_RECIPIENTS = 5;
const MAX_BAD_RECIPIENTS = 20;

/**
 * The SMTP server of the bounce domain; it accepts reports only. It replies 250 once the effect is durable and
 * otherwise 451, so that the sender retries. STARTTLS protects reports from being read in transit.
 */
@Injectable()
export class BounceListener implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #server: SMTPServer;
  readonly #connections: SmtpConnections;
  readonly #messageLimit: MessageLimit;
  readonly #badRecipients = new Map<string, number>();
  #port = 0;

  constructor(
    @Inject(CONFIG) private readonly config: DeliveryTrackingConfig,
    private readonly reports: ReceiveReport,
    private readonly domainReports: ReceiveDomainReports,
    private readonly metrics: ReportMetrics,
    private readonly log: ServiceLog,
  ) {
    const limits = { perClient: config.bounceMaxConnectionsPerAddress, sessionMs: config.bounceSessionTimeoutMs };
    this.#connections = new SmtpConnections(limits, () => [this.#server]);
    const { cert, key } =
      certificateFrom(config, 'bounceTlsCertFile', 'bounceTlsKeyFile') ?? selfSignedCertificate(config.bounceDomain);
    this.#messageLimit = new MessageLimit(config.bounceMaxMessagesPerMinute);
    this.#server = new SMTPServer({
      name: config.bounceDomain,
      banner: 'reports only',
      disabledCommands: ['AUTH'],
      cert,
      key,
      disableReverseLookup: true,
      size: config.bounceMaxBytes,
      maxClients: config.bounceMaxConnections,
      socketTimeout: config.bounceConnectionTimeoutMs,
      closeTimeout: 2_000,
      logger: false,
      onConnect: (session, done) => done(this.#onConnect(session)),
      onClose: session => this.#onClose(session),
      onMailFrom: (_, session, done) => done(this.#onMailFrom(session)),
      onRcptTo: (address, session, done) => done(this.#onRecipient(address, session)),
      onData: (stream, session, done) => {
        this.#onMessage(stream, session).then(
          () => done(null, 'accepted'),
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
        );
      },
    });
    // Clients can disconnect at any time.
    this.#server.on('error', () => undefined);
  }

  /** The port that the server listens on, once started. */
  get port(): number {
    return this.#port;
  }

  async onApplicationBootstrap(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.server.once('error', reject);
      const { bounceSmtpPort: port, bounceSmtpHost: host } = this.config;
      this.#server.listen({ port, host, ...passedSocket(process.env, process.pid) }, () => {
        this.#server.server.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#server.server.address() as AddressInfo).port;
    this.log.info({ port: this.#port }, 'The bounce listener accepts reports');
  }

  /** Accepts no more connections, and closes open ones within two seconds. */
  async onModuleDestroy(): Promise<void> {
    await new Promise<void>(resolve => this.#server.close(() => resolve()));
    this.#connections.close();
    this.#messageLimit.close();
  }

  #onConnect(session: SMTPServerSession): Error | null {
    return this.#connections.add(session.id, addressOf(session))
      ? null
      : this.#refusal(421, 'too many connections from this address', 'too_many_connections');
  }

  #onClose(session: SMTPServerSession): void {
    this.#connections.remove(session.id);
    this.#badRecipients.delete(session.id);
  }

  #onMailFrom(session: SMTPServerSession): Error | null {
    return this.#messageLimit.admit(addressOf(session))
      ? null
      : this.#refusal(450, '4.7.0 too many messages from this address, try again later', 'rate');
  }

  #onRecipient({ address }: SMTPServerAddress, session: SMTPServerSession): Error | null {
    const at = address.lastIndexOf('@');
    if (session.envelope.rcptTo.length >= MAX_RECIPIENTS) {
      return this.#refusal(452, '4.5.3 too many recipients', 'too_many_recipients');
    }
    const isOurDomain = address.slice(at + 1).toLowerCase() === this.config.bounceDomain;
    // Customer domains can point to the bounce domain; a valid signature identifies a return path.
    if (!isOurDomain && this.reports.isReturnPath(address.slice(0, at))) return null;
    if (!isOurDomain) {
      return this.#badRecipient(session, '5.7.1 relaying denied', 'relaying');
    }
    return isReportsMailbox(address.slice(0, at)) || this.reports.accepts(address.slice(0, at))
      ? null
      : this.#badRecipient(session, '5.1.1 no such return path', 'unknown_mailbox');
  }

  #badRecipient(session: SMTPServerSession, message: string, cause: string): Error {
    const count = (this.#badRecipients.get(session.id) ?? 0) + 1;
    this.#badRecipients.set(session.id, count);
    if (count > MAX_BAD_RECIPIENTS) return this.#refusal(421, '4.7.0 too many unknown recipients', 'guessing');
    return this.#refusal(550, message, cause);
  }

  async #onMessage(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const raw = await this.#read(stream);
    if (!raw) throw this.#refusal(552, '5.3.4 the message is too big', 'too_big');
    const { mailFrom, rcptTo } = session.envelope;
    try {
      await this.#process({
        sender: mailFrom ? mailFrom.address : '',
        localParts: rcptTo.map(({ address }) => address.slice(0, address.lastIndexOf('@'))),
        raw,
        client: session.remoteAddress,
      });
    } catch (err) {
      this.log.error({ err }, 'A report was not recorded; its sender will retry');
      throw this.#refusal(451, '4.3.0 temporary failure, try again later', 'not_durable');
    }
  }

  /** A message can be for both kinds of mailboxes. */
  async #process(report: ReceivedReport): Promise<void> {
    const localParts = report.localParts.filter(localPart => !isReportsMailbox(localPart));
    if (localParts.length < report.localParts.length) await this.domainReports.execute(report);
    if (localParts.length > 0) await this.reports.execute({ ...report, localParts });
  }

  /** Returns undefined for a message that is too big; the excess is read and discarded. */
  async #read(stream: SMTPServerDataStream): Promise<Buffer | undefined> {
    const { bounceMaxBytes } = this.config;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= bounceMaxBytes) chunks.push(chunk);
      else chunks.length = 0;
    }
    return size <= bounceMaxBytes ? Buffer.concat(chunks) : undefined;
  }

  #refusal(responseCode: number, message: string, cause: string): Error {
    this.metrics.refusedMail(cause);
    return Object.assign(new Error(message), { responseCode });
  }
}

const addressOf = ({ remoteAddress }: SMTPServerSession): string => clientNetworkOf(remoteAddress);
