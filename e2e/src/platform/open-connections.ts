import { setTimeout as pause } from 'node:timers/promises';
import { type Failure, reasonOf } from './steady-requests.js';

const GOING_AWAY = 1001;
const SEND_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 10_000;

/**
 * A client that keeps one connection to a web service open and reconnects when it is cut. The end of a connection is a
 * failure unless the drain of the present operation can be over.
 */
abstract class OpenConnection {
  connections = 0;
  messages = 0;
  readonly failures: Failure[] = [];
  #isStopped = false;

  constructor(
    protected readonly url: string,
    /** Whether an instance that the present operation takes out of rotation can have drained. */
    private readonly isDrained: () => boolean,
  ) {}

  /** Resolves when the client is stopped. */
  async run(): Promise<void> {
    while (!this.#isStopped && this.failures.length === 0) {
      this.connections += 1;
      const reason = await this.connect().catch(reasonOf);
      if (!this.#isStopped) this.#judge(reason);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.close();
  }

  /** Resolves with the reason if the connection did not end through the drain. */
  protected abstract connect(): Promise<Failure | undefined>;
  protected abstract close(): void;

  #judge(reason: Failure | undefined): void {
    if (reason !== undefined) this.failures.push(reason);
    else if (!this.isDrained()) this.failures.push(`${this.constructor.name} ended before the end of the drain`);
  }
}

/** Reads numbered server-sent events: none may be missing or repeated within a connection. */
export class EventReader extends OpenConnection {
  #leaving = new AbortController();
  #last = 0;

  protected async connect(): Promise<Failure | undefined> {
    this.#leaving = new AbortController();
    this.#last = 0;
    const response = await fetch(`${this.url}/events`, { signal: this.#leaving.signal });
    if (response.status !== 200 || !response.body) return `the event stream was answered with ${response.status}`;
    let unread = '';
    try {
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        const events = `${unread}${chunk}`.split('\n\n');
        unread = events.pop() ?? '';
        for (const event of events) {
          const wrong = this.#take(event);
          if (wrong) return wrong;
        }
      }
    } catch {
      // The drain cuts the response instead of ending it regularly.
    }
    return undefined;
  }

  protected close(): void {
    this.#leaving.abort();
  }

  #take(event: string): Failure | undefined {
    const number = Number(/^id: (\d+)$/m.exec(event)?.[1]);
    if (number !== this.#last + 1) return `event ${number} came after event ${this.#last}`;
    this.#last = number;
    this.messages += 1;
    return undefined;
  }
}

/** Sends one message after another over a WebSocket, which may only be closed with 1001. */
export class SocketClient extends OpenConnection {
  #socket: WebSocket | undefined;

  protected async connect(): Promise<Failure | undefined> {
    const socket = new WebSocket(this.url.replace('http:', 'ws:'));
    this.#socket = socket;
    const closed = new Promise<number>(resolve => socket.addEventListener('close', ({ code }) => resolve(code)));
    const answers: string[] = [];
    socket.addEventListener('message', ({ data }) => {
      answers.push(String(data));
    });
    let [sent, sentAt] = [0, 0];
    const sendNext = () => {
      if (socket.readyState !== WebSocket.OPEN || answers.length < sent) return;
      socket.send(`${sent++}`);
      sentAt = performance.now();
    };
    const clock = setInterval(sendNext, SEND_EVERY_MS);
    const code = await closed;
    clearInterval(clock);
    this.messages += answers.length;
    const wrong = answers.findIndex((answer, index) => answer !== `${index}`);
    if (wrong >= 0) return `message ${wrong} of a WebSocket was answered with ${answers[wrong]}`;
    // The last message may have been in transit when the socket was closed.
    if (answers.length < sent && performance.now() - sentAt > ANSWER_WITHIN_MS)
      return `message ${sent - 1} of a WebSocket was not answered`;
    return code === GOING_AWAY ? undefined : `a WebSocket was closed with ${code}`;
  }

  protected close(): void {
    this.#socket?.close();
  }
}

/** Starts a long request each second, GET and POST in turn; requests in progress at the stop are not counted. */
export class LongRequests {
  count = 0;
  readonly failures: Failure[] = [];
  readonly #leaving = new AbortController();
  readonly #underWay: Promise<void>[] = [];

  constructor(
    private readonly url: string,
    private readonly takesMs: number,
  ) {}

  async run(): Promise<void> {
    while (!this.#leaving.signal.aborted) {
      this.#underWay.push(this.#request(this.#underWay.length % 2 === 0 ? 'GET' : 'POST'));
      await pause(1_000, undefined, { signal: this.#leaving.signal }).catch(() => undefined);
    }
    await Promise.all(this.#underWay);
  }

  stop(): void {
    this.#leaving.abort();
  }

  async #request(method: string): Promise<void> {
    try {
      const response = await fetch(`${this.url}/?ms=${this.takesMs}`, { method, signal: this.#leaving.signal });
      const body = await response.text();
      this.count += 1;
      if (response.status !== 200) this.failures.push(`a long request: ${response.status} ${body.slice(0, 100)}`);
    } catch (error) {
      if (this.#leaving.signal.aborted) return;
      this.count += 1;
      this.failures.push(`a long request: ${reasonOf(error)}`);
    }
  }
}
