import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { Arrivals } from './arrivals.js';

/** A recipient with the notification parameters of RFC 3461; `orcpt` is decoded from xtext. */
export interface SinkRecipient {
  address: string;
  notify: string[];
  orcpt: string | undefined;
}

/** A message that the sink accepted. */
export interface SinkMessage {
  /** MAIL FROM; empty for the null sender. */
  from: string;
  to: SinkRecipient[];
  ret: string | undefined;
  envid: string | undefined;
  smtpUtf8: boolean;
  /** The received message without dot-stuffing. */
  raw: Buffer;
  receivedAt: number;
}

/**
 * A reply other than 250 to commands of the stage that match the address; at `data`, to the final dot. `cut` closes the
 * connection, at `data` before the text or after the final dot.
 */
export interface SinkAnswer {
  stage: 'connect' | 'mail' | 'rcpt' | 'data';
  /** The sender for `mail`; a recipient for `rcpt` and `data`. */
  address?: string | RegExp;
  times?: number;
  code?: number;
  text?: string;
  delayMs?: number;
  cut?: 'before' | 'after';
}

export interface SmtpSinkOptions {
  port?: number;
  /** false: only counts, for load tests. */
  record?: boolean;
  /** false: EHLO offers no DSN. */
  dsn?: boolean;
  /** false: EHLO offers no SMTPUTF8. */
  smtpUtf8?: boolean;
  /** Maximum size of a message in bytes, announced as SIZE. */
  size?: number;
}

/** An SMTP server that accepts every message by default. */
export interface TestSmtp {
  host: string;
  port: number;
  messages: SinkMessage[];
  /** `refused` counts replies of 4xx and 5xx, `received` complete messages, `taken` accepted messages. */
  counters: { connections: number; received: number; taken: number; bytes: number; refused: number; cut: number };
  answer(answer: SinkAnswer): void;
  /** Accepts all messages again and deletes recorded ones. */
  reset(): void;
  /** Waits for a recorded message that matches; every message is returned once. */
  nextMessage(fits?: (message: SinkMessage) => boolean, options?: { timeoutMs?: number }): Promise<SinkMessage>;
  stop(): Promise<void>;
}

/** Starts an SMTP server on the loopback interface with PIPELINING, 8BITMIME, SMTPUTF8, SIZE and DSN. */
export async function startSmtpSink(options: SmtpSinkOptions = {}): Promise<TestSmtp> {
  const messages = new Arrivals<SinkMessage>();
  const script: SinkAnswer[] = [];
  const counters = { connections: 0, received: 0, taken: 0, bytes: 0, refused: 0, cut: 0 };

  const scripted = (stage: SinkAnswer['stage'], addresses: string[]): SinkAnswer | undefined => {
    if (script.length === 0) return undefined;
    const index = script.findIndex(answer => answer.stage === stage && concerns(answer.address, addresses));
    const answer = script[index];
    if (answer?.times !== undefined && --answer.times <= 0) script.splice(index, 1);
    return answer;
  };
  const cut = (session: SMTPServerSession): void => {
    counters.cut += 1;
    for (const connection of server.connections) if (connection.id === session.id) connection._socket.destroy();
  };
  const reply = (
    answer: SinkAnswer | undefined,
    session: SMTPServerSession,
    callback: (error?: Error | null) => void,
  ): void => {
    const act = (): void => {
      if (answer?.cut) {
        cut(session);
        return;
      }
      const error = toError(answer);
      if (error) counters.refused += 1;
      callback(error);
    };
    if (answer?.delayMs) setTimeout(act, answer.delayMs).unref();
    else act();
  };

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    hideDSN: options.dsn === false,
    hideSMTPUTF8: options.smtpUtf8 === false,
    maxAllowedUnauthenticatedCommands: false,
    closeTimeout: 100,
    ...(options.size ? { size: options.size } : {}),
    onConnect(session, callback) {
      counters.connections += 1;
      reply(scripted('connect', []), session, callback);
    },
    onMailFrom: (from, session, callback) => reply(scripted('mail', [from.address]), session, callback),
    onRcptTo: (to, session, callback) => reply(scripted('rcpt', [to.address]), session, callback),
    onData(stream, session, callback) {
      const answer = scripted(
        'data',
        session.envelope.rcptTo.map(({ address }) => address),
      );
      if (answer?.cut === 'before') {
        stream.once('data', () => cut(session));
        return;
      }
      const finish = (raw: Buffer): void => {
        counters.received += 1;
        reply(answer, session, error => {
          if (error) return callback(error);
          counters.taken += 1;
          counters.bytes += stream.byteLength;
          if (options.record !== false) messages.add(toMessage(session, raw));
          callback();
        });
      };
      collect(stream, options.record !== false, finish);
    },
  });
  // Some tests disconnect in the middle of a transaction.
  server.on('error', () => undefined);
  const listener = server.listen(options.port ?? 0, '127.0.0.1');
  await once(listener, 'listening');

  return {
    host: '127.0.0.1',
    port: (listener.address() as AddressInfo).port,
    messages: messages.all,
    counters,
    answer: answer => void script.push({ ...answer }),
    reset() {
      script.length = 0;
      messages.clear();
    },
    nextMessage: (fits = () => true, options = {}) => messages.next(fits, { what: 'a message', ...options }),
    stop: () => new Promise(resolve => server.close(resolve)),
  };
}

function concerns(wanted: string | RegExp | undefined, addresses: string[]): boolean {
  if (wanted === undefined) return true;
  return addresses.some(address =>
    typeof wanted === 'string' ? address.toLowerCase() === wanted.toLowerCase() : wanted.test(address),
  );
}

function toError(answer: SinkAnswer | undefined): Error | null {
  if (!answer?.code || answer.code < 400) return null;
  return Object.assign(new Error(answer.text ?? 'scripted answer'), { responseCode: answer.code });
}

function collect(stream: SMTPServerDataStream, keep: boolean, finish: (raw: Buffer) => void): void {
  const chunks: Buffer[] = [];
  if (keep) stream.on('data', chunk => chunks.push(chunk));
  else stream.resume();
  stream.once('end', () => finish(Buffer.concat(chunks)));
}

function toMessage({ envelope }: SMTPServerSession, raw: Buffer): SinkMessage {
  const { mailFrom, rcptTo, dsn } = envelope;
  return {
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map(toRecipient),
    ret: dsn?.ret ?? undefined,
    envid: dsn?.envid ?? undefined,
    smtpUtf8: envelope.smtpUtf8 === true,
    raw,
    receivedAt: Date.now(),
  };
}

function toRecipient({ address, dsn }: SMTPServerAddress): SinkRecipient {
  return { address, notify: dsn?.notify ?? [], orcpt: dsn?.orcpt };
}
