import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { RelayConfig } from './relay-config.js';

/** Thrown, or passed to the listener, when the relay has not responded in time. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/** The current receiver of the relay's replies. */
export interface WireListener {
  /** One complete reply; `moreCame` if more data has already arrived. */
  onReply(reply: RawReply, moreCame: boolean): void;
  /** The connection is closed; no further calls follow. */
  onLost(error: Error): void;
}

/**
 * The socket to a relay: sends bytes, receives replies, and has one timer for all deadlines. An unsolicited reply closes
 * it.
 */
export class SmtpWire {
  readonly #config: RelayConfig;
  #socket: Socket;
  #reader = new ReplyReader();
  #listener: WireListener | undefined;
  #onClose: () => void = () => {};
  #isSetUp = false;
  #isPatient = false;
  #deadline: number;
  #clock: NodeJS.Timeout;
  isClosed = false;

  /** Starts to connect. The first reply is the greeting. */
  constructor(config: RelayConfig) {
    this.#config = config;
    const { host, port } = config;
    const target = {
      host,
      port,
      ...(config.lookup && { lookup: config.lookup }),
      noDelay: true,
      keepAlive: true,
      // The default is intended for a broken address family, and is too short for a host with several slow addresses.
      autoSelectFamilyAttemptTimeout: Math.max(250, Math.floor(config.connectTimeoutMs / 4)),
    };
    this.#socket = config.security === 'tls' ? connectTls({ ...target, ...tlsOptions(config) }) : connect(target);
    this.#listen(this.#socket);
    this.#deadline = performance.now() + config.connectTimeoutMs;
    this.#clock = this.#clockFor(config.connectTimeoutMs);
  }

  /** Calls back when the connection is closed, at most once; immediately if it is already closed. */
  onClose(listener: () => void): void {
    this.#onClose = listener;
    if (this.isClosed) listener();
  }

  /** Replaces the listener; undefined while the connection is idle. */
  listenWith(listener: WireListener | undefined): void {
    this.#listener = listener;
    this.#extend();
  }

  /** Marks the connection as established: from now on only the silence timeout applies. */
  setUp(): void {
    this.#isSetUp = true;
    this.#extend();
    clearTimeout(this.#clock);
    this.#onClock();
  }

  /** Sends bytes; calls back when they are passed to the operating system. */
  send(bytes: string | Buffer, sent?: () => void): void {
    this.#extend();
    this.#socket.write(bytes, sent && (error => (error ? undefined : sent())));
  }

  /** Until the next reply, the relay has the time that a whole message may take. */
  awaitAnswer(): void {
    this.#deadline = performance.now() + this.#config.answerTimeoutMs;
    this.#isPatient = true;
  }

  /** Sends one command and resolves with its reply. Rejects if the connection is closed first. */
  command(text: string): Promise<RawReply> {
    const reply = this.next();
    if (!this.isClosed) this.send(`${text}\r\n`);
    return reply;
  }

  /** Resolves with the next reply. */
  next(): Promise<RawReply> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) {
        reject(new Error('the connection was closed'));
        return;
      }
      this.listenWith({
        onReply: (reply, moreCame) => {
          if (moreCame) {
            this.close(new Error('the relay sent an unexpected extra reply'));
            return;
          }
          this.#listener = undefined;
          resolve(reply);
        },
        onLost: reject,
      });
    });
  }

  /**
   * Starts TLS after the relay has accepted STARTTLS. Plain text received before is never read afterwards (RFC 3207 §6):
   * `next` closes the connection if there is any.
   */
  secure(): Promise<void> {
    const plain = this.#socket;
    plain.off('data', this.#onData).off('error', this.#onError).off('end', this.#onEnd).off('close', this.#onEnd);
    plain.on('error', () => {});
    this.#reader = new ReplyReader();
    return new Promise((resolve, reject) => {
      this.#listener = { onReply: () => {}, onLost: reject };
      const { host } = this.#config;
      this.#socket = connectTls({ socket: plain, host, ...tlsOptions(this.#config) }, () => {
        this.#listener = undefined;
        resolve();
      });
      this.#listen(this.#socket);
    });
  }

  /** Closes at once; listeners receive the reason. */
  close(reason = new Error('the connection was closed')): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.#clock);
    this.#socket.destroy();
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onLost(reason);
    this.#onClose();
  }

  #listen(socket: Socket): void {
    socket.on('data', this.#onData).on('error', this.#onError).on('end', this.#onEnd).on('close', this.#onEnd);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.isClosed) return;
    try {
      this.#reader.read(chunk, this.#take);
    } catch (error) {
      this.close(error as Error);
    }
  };

  readonly #onError = (error: Error): void => this.close(error);

  readonly #onEnd = (): void => this.close();

  #extend(): void {
    if (this.#isSetUp) this.#deadline = performance.now() + this.#config.silenceTimeoutMs;
  }

  readonly #take = (reply: RawReply, moreCame: boolean): void => {
    if (this.isClosed) return;
    this.#extend();
    if (this.#isPatient) {
      this.#isPatient = false;
      clearTimeout(this.#clock);
      this.#onClock();
    }
    if (this.#listener) this.#listener.onReply(reply, moreCame);
    // A relay may send 421 before it closes an idle connection (RFC 5321 §3.8).
    else this.close(new Error(`unsolicited reply from the relay: ${reply.text}`));
  };

  /** One timer for the life of the connection; it checks whether the current deadline has passed. */
  #onClock(): void {
    const left = this.#deadline - performance.now();
    if (left > 0) this.#clock = this.#clockFor(left);
    else this.close(new SilenceError('the relay did not answer in time'));
  }

  /** The timer keeps the process alive while there is a connection. */
  #clockFor(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#onClock(), delayMs).unref();
  }
}

function tlsOptions({ host, tls }: RelayConfig): ConnectionOptions {
  const servername = tls?.servername ?? (isIP(host) === 0 ? host : undefined);
  return { minVersion: 'TLSv1.2', ...tls, ...(servername === undefined ? {} : { servername }) };
}

/** One complete raw reply: its code, and its lines joined by `\n`, including codes. */
export interface RawReply {
  readonly code: number;
  readonly text: string;
}

/** Thrown for data that is not an SMTP reply: later data on this connection is not trusted. */
export class ReplySyntaxError extends Error {
  override readonly name = 'ReplySyntaxError';
}

const MAX_REPLY = 64 * 1024;
const CR = 0x0d;
const DASH = 0x2d;
const SPACE = 0x20;

/**
 * Splits a relay's bytes into replies (RFC 5321 §4.2.1), independent of packets. Lines may end in a bare LF; every line of
 * a reply must have the same code. Takes linear time and bounded memory.
 */
export class ReplyReader {
  /** The received part of the current line; scanned once, because a chunk without a line end is only appended. */
  #line = '';
  #lines = '';
  #code = 0;

  /**
   * Reads a chunk and passes on every completed reply, with whether more bytes have already arrived.
   * @throws ReplySyntaxError
   */
  read(chunk: Buffer, take: (reply: RawReply, moreCame: boolean) => void): void {
    const bytes = chunk.toString('latin1');
    let start = 0;
    for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', start)) {
      const line = this.#line + bytes.slice(start, end > start && bytes.charCodeAt(end - 1) === CR ? end - 1 : end);
      start = end + 1;
      this.#line = '';
      if (this.#takeLine(line)) {
        const reply = { code: this.#code, text: decoded(this.#lines) };
        this.#code = 0;
        this.#lines = '';
        take(reply, start < bytes.length);
      }
    }
    this.#line += bytes.slice(start);
    if (this.#line.length > MAX_REPLY) throw new ReplySyntaxError('a reply of the relay has no end');
  }

  /** True if the line completes its reply. */
  #takeLine(line: string): boolean {
    // The CR may have arrived in the packet before its LF.
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    const code = codeOf(text);
    if (code === 0 || (this.#code !== 0 && code !== this.#code)) {
      throw new ReplySyntaxError(`invalid SMTP reply: ${decoded(text).slice(0, 200)}`);
    }
    this.#lines = this.#code === 0 ? text : `${this.#lines}\n${text}`;
    this.#code = code;
    if (this.#lines.length > MAX_REPLY) throw new ReplySyntaxError('a reply of the relay has no end');
    return text.charCodeAt(3) !== DASH;
  }
}

/** Three digits, alone or before a space or a dash; 0 if there are none. */
function codeOf(line: string): number {
  let code = 0;
  for (let at = 0; at < 3; at++) {
    const digit = line.charCodeAt(at) - 0x30;
    // A character beyond the end reads as NaN.
    if (!(digit >= 0 && digit <= 9)) return 0;
    code = code * 10 + digit;
  }
  const after = line.charCodeAt(3);
  return line.length === 3 || after === SPACE || after === DASH ? code : 0;
}

/** UTF-8 if valid (RFC 6531 §3.7.4), otherwise Latin-1. */
function decoded(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text;
  const utf8 = Buffer.from(text, 'latin1').toString('utf8');
  return utf8.includes('\ufffd') ? text : utf8;
}
