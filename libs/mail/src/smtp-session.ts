import SMTPConnection, { type SMTPConnectionEnvelope, type SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import { ReadyMessage } from './ready-message.js';
import { type HandOverResult, parseReply, type RefusedRecipient, type SmtpReply } from './smtp-answer.js';

/** How one relay is reached. Every timeout is explicit, in milliseconds. */
export interface RelayConfig {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte; `starttls`: required, never a silent fallback; `none`: plain text. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly tls?: {
    readonly rejectUnauthorized?: boolean;
    readonly servername?: string;
    readonly ca?: string;
    readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  };
  readonly auth?: { readonly user: string; readonly pass: string };
  /** The name we greet with (EHLO). */
  readonly name: string;
  readonly maxConnections: number;
  /** DNS, TCP, TLS and the greeting together. */
  readonly connectTimeoutMs: number;
  /** Longest silence of the relay within a dialogue; also how long an idle connection is kept. */
  readonly silenceTimeoutMs: number;
  /** Longest wait for a free connection. */
  readonly queueTimeoutMs: number;
}

/** A message with its envelope. Addresses are bare, as `parseMailbox` gives them; `from: ''` is the null sender. */
export interface HandOver {
  readonly from: string;
  readonly recipients: readonly { readonly address: string; readonly orcpt?: string }[];
  readonly bytes: Buffer;
  /** Asked for where the relay offers DSN (RFC 3461), left out elsewhere. */
  readonly dsn?: {
    readonly notify: readonly ('SUCCESS' | 'FAILURE' | 'DELAY')[];
    readonly ret: 'HDRS' | 'FULL';
    readonly envid: string;
  };
  /** The headers hold UTF-8 addresses (RFC 6531). Envelope addresses are looked at by themselves. */
  readonly smtpUtf8?: boolean;
}

/** What the relay offers, as its last EHLO said. */
export interface RelayOffers {
  readonly dsnOffered: boolean;
  readonly smtpUtf8Offered: boolean;
}

/** How a hand-over over one connection ended, and what the connection is still good for. */
export interface SessionOutcome {
  readonly result: HandOverResult;
  /** `reusable` at once, after a `reset`, or `broken`. */
  readonly connection: 'reusable' | 'reset' | 'broken';
  /** True when the connection was closed before the relay took notice of the message. */
  readonly closedUnheard: boolean;
}

type Settle = (error: Error | null) => void;

const NON_ASCII = /[^\x00-\x7f]/;

/** One connection to a relay, open and authenticated, one message at a time. Never throws once it is open. */
export class SmtpSession {
  readonly #connection: SMTPConnection;
  #settle: Settle | undefined;
  #onGone: () => void = () => {};
  offers: RelayOffers = { dsnOffered: false, smtpUtf8Offered: false };
  isGone = false;

  private constructor(config: RelayConfig) {
    this.#connection = new SMTPConnection({
      host: config.host,
      port: config.port,
      name: config.name,
      secure: config.security === 'tls',
      requireTLS: config.security === 'starttls',
      ignoreTLS: config.security === 'none',
      tls: { minVersion: 'TLSv1.2', ...config.tls },
      ...(config.tls?.servername === undefined ? {} : { servername: config.tls.servername }),
      connectionTimeout: config.connectTimeoutMs,
      greetingTimeout: config.connectTimeoutMs,
      dnsTimeout: config.connectTimeoutMs,
      socketTimeout: config.silenceTimeoutMs,
      socketCloseTimeout: 1_000,
      maxResponseSize: 64 * 1024,
      allowInternalNetworkInterfaces: true,
      logger: false,
    } as ConstructorParameters<typeof SMTPConnection>[0]);
    this.#connection.on('error', (error: Error) => this.#settle?.(error));
    this.#connection.on('end', () => {
      this.isGone = true;
      this.#onGone();
      // nodemailer closes a connection just before it reports why: its reason goes first.
      const settle = this.#settle;
      queueMicrotask(() => settle?.(new Error('the connection was closed')));
    });
  }

  /** Connects, secures and authenticates. Rejects with the reason when any of it fails. */
  static async open(config: RelayConfig): Promise<SmtpSession> {
    const session = new SmtpSession(config);
    const connection = session.#connection;
    try {
      await session.#exchange(settle => connection.connect(error => settle(error ?? null)));
      const ehlo = connection.lastServerResponse || '';
      session.offers = { dsnOffered: /^250[ -]DSN\b/im.test(ehlo), smtpUtf8Offered: /^250[ -]SMTPUTF8\b/im.test(ehlo) };
      const { auth } = config;
      if (auth) await session.#exchange(settle => connection.login({ ...auth }, settle));
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  /** Calls back when the connection is gone, at most once. */
  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  /** Hands one message over. */
  async handOver(mail: HandOver): Promise<SessionOutcome> {
    const unsupported = this.#unsupported(mail);
    if (unsupported) return { result: unsupported, connection: 'reusable', closedUnheard: false };

    const envelope: SMTPEnvelope & Partial<SMTPConnectionEnvelope> = {
      from: mail.from,
      to: mail.recipients.map(({ address }) => address),
      size: mail.bytes.length,
      use8BitMime: mail.smtpUtf8 === true,
      ...(mail.dsn ? { dsn: dsnParameters(mail) } : {}),
    };
    const message = new ReadyMessage(mail.bytes);
    let response = '';
    try {
      await this.#exchange(settle => {
        this.#connection.send(envelope, message, (error, info) => {
          response = info?.response ?? '';
          settle(error);
        });
      });
    } catch (error) {
      const failure = error as SmtpFailure;
      // In a pipelined dialogue a refused MAIL makes every RCPT fail too, which says nothing about the recipients.
      return this.#failed(failure, message, failure.command === 'MAIL FROM' ? [] : refusedIn(envelope));
    }
    return {
      result: {
        kind: 'accepted',
        reply: parseReply(response),
        accepted: [...(envelope.accepted ?? [])],
        refused: refusedIn(envelope),
      },
      connection: this.isGone ? 'broken' : 'reusable',
      closedUnheard: false,
    };
  }

  /** Clears a half-done transaction (RSET); false when the connection is of no more use. */
  async reset(): Promise<boolean> {
    try {
      await this.#exchange(settle => this.#connection.reset(settle));
      return !this.isGone;
    } catch {
      this.close();
      return false;
    }
  }

  /** Takes leave politely (QUIT); the relay closes, or the silence timeout does. */
  quit(): void {
    if (this.isGone) return;
    this.#connection.quit();
  }

  /** Closes at once. */
  close(): void {
    this.#connection.close();
  }

  /** What SMTP would let through mangled, because the relay does not speak SMTPUTF8 (RFC 6531 §3.5). */
  #unsupported(mail: HandOver): HandOverResult | undefined {
    if (this.offers.smtpUtf8Offered) return undefined;
    const foreign = mail.recipients.filter(({ address }) => NON_ASCII.test(address));
    if (mail.smtpUtf8 !== true && foreign.length === 0 && !NON_ASCII.test(mail.from)) return undefined;
    const reply = { code: 553, enhanced: '5.6.7', response: '553 5.6.7 the relay does not offer SMTPUTF8' };
    return { kind: 'refused', reply, refused: foreign.map(({ address }) => ({ address, ...reply })) };
  }

  #failed(error: SmtpFailure, message: ReadyMessage, refused: RefusedRecipient[]): SessionOutcome {
    const reply = replyOf(error);
    if (reply) {
      // 503 is about the dialogue's state, not the message: another connection may well take it.
      const kind = reply.code >= 500 && reply.code !== 503 ? 'refused' : 'deferred';
      const isClosing = reply.code === 421 || reply.code === 503 || this.isGone;
      return {
        result: { kind, reply, refused },
        connection: isClosing ? 'broken' : message.endWasSent ? 'reusable' : 'reset',
        closedUnheard: isClosing && !message.wasStarted && refused.length === 0,
      };
    }
    this.close();
    const reason = error.message;
    if (message.endWasSent) {
      return { result: { kind: 'unknown', reason, refused }, connection: 'broken', closedUnheard: false };
    }
    return {
      result: { kind: 'unreachable', reason },
      connection: 'broken',
      closedUnheard: !message.wasStarted && error.code !== 'ETIMEDOUT',
    };
  }

  /** nodemailer drops its callbacks when a connection dies, so every exchange also ends with the connection. */
  #exchange(begin: (settle: Settle) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle: Settle = error => {
        if (this.#settle !== settle) return;
        this.#settle = undefined;
        if (error) reject(error);
        else resolve();
      };
      this.#settle = settle;
      begin(settle);
    });
  }
}

interface SmtpFailure extends Error {
  readonly code?: string;
  readonly response?: string;
  readonly command?: string;
}

/** The relay's words, or ours for what nodemailer refuses in the relay's name; undefined when there was no answer. */
function replyOf(error: SmtpFailure): SmtpReply | undefined {
  if (error.response) {
    const reply = parseReply(error.response);
    // What the relay says out of turn, or that is neither 4xx nor 5xx, says nothing about the message.
    return reply.code >= 400 && error.code !== 'EPROTOCOL' ? reply : undefined;
  }
  if (error.code === 'EMESSAGE') {
    return { code: 552, enhanced: '5.3.4', response: `552 5.3.4 ${error.message}` };
  }
  if (error.code === 'EENVELOPE') {
    return { code: 553, enhanced: '5.1.3', response: `553 5.1.3 ${error.message}` };
  }
  return undefined;
}

function refusedIn(envelope: Partial<SMTPConnectionEnvelope>): RefusedRecipient[] {
  return (envelope.rejectedErrors ?? []).map(error => ({
    address: String(error.recipient ?? ''),
    ...parseReply(error.response ?? ''),
  }));
}

/** nodemailer takes one ORCPT for a whole envelope, so it goes along only where there is one recipient. */
function dsnParameters({ dsn, recipients }: HandOver): NonNullable<SMTPEnvelope['dsn']> {
  const orcpt = recipients.length === 1 ? recipients[0]?.orcpt : undefined;
  return {
    notify: [...(dsn?.notify ?? [])],
    ret: dsn?.ret,
    envid: dsn?.envid,
    ...(orcpt === undefined ? {} : { orcpt: orcpt.includes(';') ? orcpt : `rfc822;${orcpt}` }),
  };
}
