import { headers, type Msg, type Subscription } from '@nats-io/transport-node';
import type { NatsLink } from '../connection.js';
import { isOutOfStorage } from './queue-stream.js';

/** A message for a stream. */
export interface StreamMessage {
  readonly subject: string;
  /** The message id; the stream ignores a repetition. */
  readonly id: string;
  readonly payload: string;
}

/** Why a stream has no space for a message. */
export interface StreamRefusal {
  readonly reason: string;
}

export interface WindowOutcome {
  readonly lastSequence: number;
  /** Messages stored before the first refusal; all of them without a refusal. */
  readonly stored: number;
  readonly refusal?: StreamRefusal;
}

interface Window {
  /** Indexes of the messages that wait for an acknowledgement, by reply subject. */
  readonly waiting: Map<string, number>;
  lastSequence: number;
  stored: number;
  refusal?: StreamRefusal;
  readonly settle: (failure?: Error) => void;
}

const ACK_WITHIN_MS = 2_000;

/**
 * Publishes messages concurrently and waits for all acknowledgements. The JetStream client makes a request with a
 * timer and two promises of each publish: ten times the work.
 */
export class PublishWindow {
  readonly #inbox: string;
  readonly #open = new Set<Window>();
  #subscription: Subscription | undefined;
  #published = 0;

  constructor(
    private readonly link: NatsLink,
    private readonly stream: string,
  ) {
    this.#inbox = link.newInbox();
  }

  /**
   * Resolves when every message is stored or refused for lack of space.
   * @throws after any other refusal, or when an acknowledgement is missing after two seconds.
   */
  publish(messages: readonly StreamMessage[]): Promise<WindowOutcome> {
    this.#subscription ??= this.link.subscribe(`${this.#inbox}.*`, message => this.#acknowledged(message), {
      where: 'publish acknowledgements',
    });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => window.settle(new Error(`no acknowledgement within ${ACK_WITHIN_MS / 1000} s`)),
        ACK_WITHIN_MS,
      );
      const window: Window = {
        waiting: new Map(),
        lastSequence: 0,
        stored: messages.length,
        settle: failure => {
          clearTimeout(timer);
          this.#open.delete(window);
          const { lastSequence, stored, refusal } = window;
          if (failure) reject(failure);
          else resolve({ lastSequence, stored, ...(refusal ? { refusal } : {}) });
        },
      };
      this.#open.add(window);
      try {
        messages.forEach((message, place) => void this.#send(message, place, window));
      } catch (error) {
        window.settle(error as Error);
      }
      if (messages.length === 0) window.settle();
    });
  }

  #send({ subject, id, payload }: StreamMessage, place: number, { waiting }: Window): void {
    const reply = `${this.#inbox}.${++this.#published}`;
    waiting.set(reply, place);
    const about = headers();
    about.set('Nats-Msg-Id', id);
    about.set('Nats-Expected-Stream', this.stream);
    this.link.nc.publish(subject, payload, { reply, headers: about });
  }

  #acknowledged(message: Msg): void {
    const window = [...this.#open].find(({ waiting }) => waiting.has(message.subject));
    // A late acknowledgement belongs to an abandoned window.
    if (!window) return;
    const place = window.waiting.get(message.subject) ?? 0;
    window.waiting.delete(message.subject);
    const stored = storedSequence(message, this.stream);
    if (stored instanceof Error) {
      window.settle(stored);
      return;
    }
    if (typeof stored === 'number') window.lastSequence = Math.max(window.lastSequence, stored);
    else if (place < window.stored) {
      window.stored = place;
      window.refusal = stored;
    }
    if (window.waiting.size === 0) window.settle();
  }
}

interface Answer {
  readonly seq?: number;
  readonly error?: { readonly err_code?: number; readonly description: string };
}

const storedSequence = (message: Msg, stream: string): number | StreamRefusal | Error => {
  if (message.data.length === 0) return new Error(`no stream stores messages for ${stream}`);
  let answer: Answer;
  try {
    answer = message.json<Answer>();
  } catch {
    return new Error(`the acknowledgement of a message by the stream ${stream} is not JSON`);
  }
  const { error, seq } = answer;
  if (error) return refusalOf(error) ?? new Error(`the stream ${stream} refused a message: ${error.description}`);
  return seq ?? new Error(`the stream ${stream} acknowledged a message without its sequence`);
};

const refusalOf = ({ err_code, description }: NonNullable<Answer['error']>): StreamRefusal | undefined => {
  if (/maximum (bytes|messages) exceeded/i.test(description)) return { reason: description };
  if (isOutOfStorage({ ...(err_code ? { code: err_code } : {}), message: description })) return { reason: description };
  return undefined;
};
