import type { AddressInfo } from 'node:net';
import { isIP } from 'node:net';
import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { ReceivedReport } from '../tracked-emails/ports.js';
import type { Certificate } from './certificate.js';
import { ConnectionBounds, type ConnectionLimits } from './connection-limiter.js';

/** Who takes the reports that come in. */
export interface ReportReceiver {
  /** Whether there is such a mailbox. */
  knows(localPart: string): boolean;
  /** Resolves once the effect is durable. */
  execute(report: ReceivedReport): Promise<void>;
}

export interface BounceListenerOptions extends ConnectionLimits {
  readonly host: string;
  readonly port: number;
  readonly domain: string;
  readonly maxBytes: number;
  readonly silenceMs: number;
  /** What STARTTLS is offered with. */
  readonly certificate: Certificate;
  readonly receiver: ReportReceiver;
  /** Told of mail that was turned away, by cause. */
  readonly onRefused: (cause: string) => void;
  /** Told of a report that could not be taken now; its sender was told to come again. */
  readonly onFailure: (error: unknown) => void;
}

/** More than one mail system ever needs: a report has one return path. */
const MOST_RECIPIENTS = 5;
const MOST_BAD_RECIPIENTS = 20;

/**
 * An SMTP server that takes reports at the bounce domain and nothing else. It answers 250 only after the effect of a
 * report is durable, and 451 when it cannot be made so: the sender keeps what was not acknowledged. Senders that know
 * STARTTLS are not read on their way.
 */
export class BounceListener {
  readonly #server: SMTPServer;
  readonly #bounds: ConnectionBounds;
  readonly #badRecipients = new Map<string, number>();

  constructor(private readonly options: BounceListenerOptions) {
    this.#bounds = new ConnectionBounds(options, id => this.#hangUp(id));
    this.#server = new SMTPServer({
      name: options.domain,
      banner: 'reports only',
      disabledCommands: ['AUTH'],
      cert: options.certificate.cert,
      key: options.certificate.key,
      disableReverseLookup: true,
      size: options.maxBytes,
      maxClients: options.maxConnections,
      socketTimeout: options.silenceMs,
      closeTimeout: 2_000,
      logger: false,
      onConnect: (session, done) => done(this.#connected(session)),
      onClose: session => this.#closed(session),
      onMailFrom: (_, session, done) => done(this.#sender(session)),
      onRcptTo: (address, session, done) => done(this.#recipient(address, session)),
      onData: (stream, session, done) => {
        this.#message(stream, session).then(
          () => done(null, 'taken'),
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
        );
      },
    });
    // A client that breaks off is its own affair.
    this.#server.on('error', () => undefined);
  }

  /** Answers the port that it listens on. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.server.once('error', reject);
      this.#server.listen(this.options.port, this.options.host, () => {
        this.#server.server.off('error', reject);
        resolve();
      });
    });
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** Takes no more connections, and ends those that are open within two seconds. */
  async close(): Promise<void> {
    await new Promise<void>(resolve => this.#server.close(() => resolve()));
    this.#bounds.close();
  }

  #connected(session: SMTPServerSession): Error | null {
    return this.#bounds.admit(session.id, addressOf(session))
      ? null
      : this.#refusal(421, 'too many connections from this address', 'too_many_connections');
  }

  #closed(session: SMTPServerSession): void {
    this.#bounds.leave(session.id);
    this.#badRecipients.delete(session.id);
  }

  #sender(session: SMTPServerSession): Error | null {
    return this.#bounds.oneMoreMessage(addressOf(session))
      ? null
      : this.#refusal(450, '4.7.0 too many messages from this address, come again later', 'rate');
  }

  #recipient({ address }: SMTPServerAddress, session: SMTPServerSession): Error | null {
    const at = address.lastIndexOf('@');
    if (session.envelope.rcptTo.length >= MOST_RECIPIENTS) {
      return this.#refusal(452, '4.5.3 too many recipients', 'too_many_recipients');
    }
    if (address.slice(at + 1).toLowerCase() !== this.options.domain) {
      return this.#badRecipient(session, '5.7.1 we do not relay', 'relaying');
    }
    return this.options.receiver.knows(address.slice(0, at))
      ? null
      : this.#badRecipient(session, '5.1.1 no such return path', 'unknown_mailbox');
  }

  #badRecipient(session: SMTPServerSession, words: string, cause: string): Error {
    const count = (this.#badRecipients.get(session.id) ?? 0) + 1;
    this.#badRecipients.set(session.id, count);
    if (count > MOST_BAD_RECIPIENTS) return this.#refusal(421, '4.7.0 too many unknown recipients', 'guessing');
    return this.#refusal(550, words, cause);
  }

  async #message(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const raw = await this.#read(stream);
    if (!raw) throw this.#refusal(552, '5.3.4 the message is too big', 'too_big');
    const { mailFrom, rcptTo } = session.envelope;
    try {
      await this.options.receiver.execute({
        sender: mailFrom ? mailFrom.address : '',
        localParts: rcptTo.map(({ address }) => address.slice(0, address.lastIndexOf('@'))),
        raw,
      });
    } catch (error) {
      this.options.onFailure(error);
      throw this.#refusal(451, '4.3.0 cannot take this now, come again later', 'not_durable');
    }
  }

  /** The message, or undefined where it is too big; what is beyond the limit is read and forgotten. */
  async #read(stream: SMTPServerDataStream): Promise<Buffer | undefined> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= this.options.maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    }
    return size <= this.options.maxBytes ? Buffer.concat(chunks) : undefined;
  }

  #refusal(responseCode: number, words: string, cause: string): Error {
    this.options.onRefused(cause);
    return Object.assign(new Error(words), { responseCode });
  }

  #hangUp(sessionId: string): void {
    for (const connection of this.#server.connections) {
      const { id } = connection as unknown as { readonly id: string };
      if (id === sessionId) connection.close();
    }
  }
}

const addressOf = ({ remoteAddress }: SMTPServerSession): string =>
  isIP(remoteAddress) === 0 ? 'unknown' : remoteAddress;
