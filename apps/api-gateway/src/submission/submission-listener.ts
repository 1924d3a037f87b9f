import { hash } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { MAX_RECIPIENTS, MAX_SUBMITTED_BYTES } from '@postern/contracts';
import { MailboxError, parseMailbox, selfSignedCertificate } from '@postern/mail';
import { CONFIG, certificateFrom, clientNetworkOf, ServiceLog, SmtpConnections } from '@postern/service-host';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerAuthentication,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from 'smtp-server';
import type { GatewayConfig } from '../config.js';
import { BufferedBytes } from '../infrastructure/http/admission/buffered-bytes.js';
import { offerAuthOnlyOverTls } from './offer-auth.js';
import { replyToError, SmtpReply } from './smtp-replies.js';
import { SubmitMessage } from './submit-message.js';

const MAX_WRONG_KEYS = 3;
const AUTHENTICATE = new SmtpReply(530, '5.7.0', 'Authenticate with an API key of an email service as the password.');

/**
 * The SMTP server for applications that support only SMTP. It accepts the API key of an email service as the password,
 * without TLS only if configured, and replies 250 once the relay has accepted the message.
 */
@Injectable()
export class SubmissionListener implements OnApplicationBootstrap, OnModuleDestroy {
  #listeners: readonly Server[] = [];
  #servers: readonly SMTPServer[] = [];
  readonly #connections: SmtpConnections;
  readonly #wrongKeys = new Map<string, number>();

  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    private readonly messages: SubmitMessage,
    private readonly log: ServiceLog,
    private readonly buffered: BufferedBytes,
  ) {
    this.#connections = new SmtpConnections(
      { perClient: config.submissionMaxConnectionsPerAddress, sessionMs: config.submissionSessionTimeoutMs },
      () => this.#servers,
    );
  }

  /** The listening port; undefined if submission is disabled. */
  get port(): number | undefined {
    return portOf(this.#listeners[0]);
  }

  /** The port for TLS from the first byte (RFC 8314 §3.3); undefined if there is none. */
  get tlsPort(): number | undefined {
    return portOf(this.#listeners[1]);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { submissionPort, submissionClearTextAuth } = this.config;
    if (submissionPort === undefined) return;
    const certificate =
      certificateFrom(this.config, 'submissionTlsCertFile', 'submissionTlsKeyFile') ??
      selfSignedCertificate(this.config.submissionName);
    const remote = this.#serverWith(certificate, { allowInsecureAuth: false });
    const local = this.#serverWith(certificate, { allowInsecureAuth: true });
    const overTls = this.#serverWith(certificate, { allowInsecureAuth: false, secure: true });
    this.#servers = [remote, local, overTls];
    const listener = await this.#listen(submissionPort, socket =>
      submissionClearTextAuth === 'loopback' && isLoopback(socket) ? local : remote,
    );
    this.#listeners = [listener];
    const { submissionTlsPort } = this.config;
    if (submissionTlsPort !== undefined) {
      this.#listeners = [listener, await this.#listen(submissionTlsPort, () => overTls)];
    }
    this.log.info({ port: this.port, tlsPort: this.tlsPort }, 'SMTP submission accepts messages');
  }

  #listen(port: number, serverOf: (socket: Socket) => SMTPServer): Promise<Server> {
    const listener = createServer(socket => {
      serverOf(socket).server.emit('connection', socket);
    });
    listener.maxConnections = this.config.submissionMaxConnections;
    return new Promise((resolve, reject) => {
      listener.once('error', reject).listen(port, this.config.submissionHost, () => resolve(listener));
    });
  }

  /** Accepts no new connections, and closes open ones within two seconds. */
  async onModuleDestroy(): Promise<void> {
    for (const listener of this.#listeners) listener.close();
    await Promise.all(this.#servers.map(server => new Promise<void>(resolve => server.close(() => resolve()))));
    this.#connections.close();
  }

  #serverWith(
    { cert, key }: { cert: string; key: string },
    { allowInsecureAuth, secure = false }: { allowInsecureAuth: boolean; secure?: boolean },
  ): SMTPServer {
    const server: SMTPServer = new SMTPServer({
      name: this.config.submissionName,
      banner: 'Postern',
      cert,
      key,
      minVersion: 'TLSv1.2',
      authMethods: ['PLAIN', 'LOGIN'],
      allowInsecureAuth,
      secure,
      // `parseMailbox` judges addresses: it also accepts quoted local parts.
      lenientAddressParsing: true,
      disableReverseLookup: true,
      size: MAX_SUBMITTED_BYTES,
      maxClients: this.config.submissionMaxConnections,
      socketTimeout: this.config.submissionTimeoutMs,
      closeTimeout: 2_000,
      logger: false,
      onConnect: (session, done) => {
        if (!allowInsecureAuth && !secure) offerAuthOnlyOverTls(server, session.id);
        done(this.#connections.add(session.id, networkOf(session)) ? null : tooManyConnections);
      },
      onClose: session => {
        this.#connections.remove(session.id);
        this.#wrongKeys.delete(session.id);
      },
      onAuth: (auth, session, done) => {
        this.#authenticate(auth, session).then(
          user => done(null, { user }),
          error => done(replyToError(error)),
        );
      },
      onMailFrom: (_, session, done) => done(session.user ? null : AUTHENTICATE),
      onRcptTo: ({ address }: SMTPServerAddress, session, done) =>
        done(tooManyRecipients(session) ?? malformed(address)),
      onData: (stream, session, done) => {
        this.#receive(stream, session).then(
          reply => (reply.responseCode < 300 ? done(null, reply.message) : done(reply)),
          error => done(replyToError(error)),
        );
      },
    });
    // Clients can disconnect at any time.
    return server.on('error', () => undefined);
  }

  /** Returns the hash of the key, with which every message of the session is authenticated again. */
  async #authenticate({ password: given }: SMTPServerAuthentication, session: SMTPServerSession): Promise<string> {
    const password = given ?? '';
    const wrong = this.#wrongKeys.get(session.id) ?? 0;
    if (wrong >= MAX_WRONG_KEYS) throw new SmtpReply(421, '4.7.0', 'Too many wrong API keys.');
    try {
      await this.messages.authenticate(password, session.remoteAddress);
      return hash('sha256', password, 'hex');
    } catch (error) {
      this.#wrongKeys.set(session.id, wrong + 1);
      throw error;
    }
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<SmtpReply> {
    const arrivedAt = Date.now();
    const client = networkOf(session);
    const chunks: Buffer[] = [];
    let size = 0;
    let refused: unknown;
    try {
      // A refused message is read to its end, because the client waits for the reply until then.
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (refused === undefined && size + chunk.length > MAX_SUBMITTED_BYTES) {
          refused = new SmtpReply(552, '5.3.4', `The message is larger than ${MAX_SUBMITTED_BYTES} bytes.`);
        }
        if (refused === undefined) refused = this.#reserve(client, chunk);
        if (refused !== undefined) continue;
        size += chunk.length;
        chunks.push(chunk);
      }
      if (refused !== undefined) throw refused;
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      return await this.messages.submit({ keyHash: String(session.user), recipients, chunks, arrivedAt });
    } finally {
      this.buffered.release(client, size);
    }
  }

  #reserve(client: string, chunk: Buffer): SmtpReply | undefined {
    try {
      this.buffered.reserve(client, chunk.length);
      return undefined;
    } catch {
      return new SmtpReply(451, '4.3.1', 'Too many large messages at once. Try again.');
    }
  }
}

const tooManyConnections = new SmtpReply(421, '4.7.0', 'Too many connections from this address.');

/** RFC 5321 §4.5.3.1.10: the client sends the others in another transaction. */
const tooManyRecipients = ({ envelope }: SMTPServerSession): SmtpReply | null =>
  envelope.rcptTo.length < MAX_RECIPIENTS
    ? null
    : new SmtpReply(
        452,
        '4.5.3',
        `At most ${MAX_RECIPIENTS} recipients are allowed in one message. Send the rest in another.`,
      );

/** Refuses a recipient that no message can be sent to, so that the others still receive it. */
const malformed = (address: string): SmtpReply | null => {
  try {
    parseMailbox(address);
    return null;
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    return new SmtpReply(553, '5.1.3', `The recipient is not accepted: ${error.reason.replace(/[^\x20-\x7e]/g, '?')}.`);
  }
};

const portOf = (listener: Server | undefined): number | undefined => {
  const address: AddressInfo | string | null | undefined = listener?.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
};

const networkOf = ({ remoteAddress }: SMTPServerSession): string => clientNetworkOf(remoteAddress);

const isLoopback = ({ remoteAddress = '' }: Socket): boolean => /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress);
