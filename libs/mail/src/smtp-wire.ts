import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { RelayConfig } from './relay-config.js';
import { type RawReply, ReplyReader } from './smtp-reply-reader.js';

/** Thrown, or handed to the listener, when the relay kept silent for too long. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/** Who speaks with the relay just now. */
export interface WireListener {
  /** One whole reply; `moreCame` where the relay has said more than it was asked. */
  onReply(reply: RawReply, moreCame: boolean): void;
  /** The connection is gone; nothing more is told. */
  onLost(error: Error): void;
}

/**
 * The socket to a relay: bytes out, replies in, and one clock for the deadlines of all that is said over it. What comes
 * unasked closes it.
 */
export class SmtpWire {
  readonly #config: RelayConfig;
  #socket: Socket;
  #reader = new ReplyReader();
  #listener: WireListener | undefined;
  #onGone: () => void = () => {};
  #isSetUp = false;
  #deadline: number;
  #clock: NodeJS.Timeout;
  isGone = false;

  /** Begins to connect. The first that comes is the greeting. */
  constructor(config: RelayConfig) {
    this.#config = config;
    const { host, port } = config;
    const target = {
      host,
      port,
      noDelay: true,
      keepAlive: true,
      // The default is meant for a broken address family, and too short for a host with several slow addresses.
      autoSelectFamilyAttemptTimeout: Math.max(250, Math.floor(config.connectTimeoutMs / 4)),
    };
    this.#socket = config.security === 'tls' ? connectTls({ ...target, ...tlsOptions(config) }) : connect(target);
    this.#listen(this.#socket);
    this.#deadline = performance.now() + config.connectTimeoutMs;
    this.#clock = this.#clockFor(config.connectTimeoutMs);
  }

  /** Calls back when the connection is gone, at most once; at once where it already is. */
  onGone(listener: () => void): void {
    this.#onGone = listener;
    if (this.isGone) listener();
  }

  /** Hands the dialogue to somebody else, or to nobody while the connection rests. */
  listenWith(listener: WireListener | undefined): void {
    this.#listener = listener;
    this.#extend();
  }

  /** The connection stands: from now on only the relay's silence is timed. */
  setUp(): void {
    this.#isSetUp = true;
    this.#extend();
    clearTimeout(this.#clock);
    this.#onClock();
  }

  /** Sends; calls back when the bytes are with the operating system. */
  send(bytes: string | Buffer, sent?: () => void): void {
    this.#extend();
    this.#socket.write(bytes, sent && (error => (error ? undefined : sent())));
  }

  /** Sends one command and resolves with the reply to it. Rejects when the connection is gone before. */
  ask(command: string): Promise<RawReply> {
    const reply = this.next();
    if (!this.isGone) this.send(`${command}\r\n`);
    return reply;
  }

  /** Resolves with the next reply. */
  next(): Promise<RawReply> {
    return new Promise((resolve, reject) => {
      if (this.isGone) {
        reject(new Error('the connection was closed'));
        return;
      }
      this.listenWith({
        onReply: (reply, moreCame) => {
          if (moreCame) {
            this.close(new Error('the relay said more than it was asked'));
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
   * Puts TLS over the connection once the relay has agreed to STARTTLS. Nothing that came in plain text before is read
   * afterwards (RFC 3207 §6): `next` has closed the connection where anything had.
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
    if (this.isGone) return;
    this.isGone = true;
    clearTimeout(this.#clock);
    this.#socket.destroy();
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onLost(reason);
    this.#onGone();
  }

  #listen(socket: Socket): void {
    socket.on('data', this.#onData).on('error', this.#onError).on('end', this.#onEnd).on('close', this.#onEnd);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.isGone) return;
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
    if (this.isGone) return;
    this.#extend();
    if (this.#listener) this.#listener.onReply(reply, moreCame);
    // A relay may say 421 before it closes a connection at rest (RFC 5321 §3.8).
    else this.close(new Error(`the relay spoke unasked: ${reply.text}`));
  };

  /** One timer for the life of the connection: it only looks whether the deadline, which moves on, has passed. */
  #onClock(): void {
    const left = this.#deadline - performance.now();
    if (left > 0) this.#clock = this.#clockFor(left);
    else this.close(new SilenceError('the relay did not answer in time'));
  }

  /** As long as there is a connection to watch, that keeps the process alive. */
  #clockFor(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#onClock(), delayMs).unref();
  }
}

function tlsOptions({ host, tls }: RelayConfig): ConnectionOptions {
  const servername = tls?.servername ?? (isIP(host) === 0 ? host : undefined);
  return { minVersion: 'TLSv1.2', ...tls, ...(servername === undefined ? {} : { servername }) };
}
