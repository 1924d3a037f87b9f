import { createInbox, headers, type Msg, type Subscription } from '@nats-io/transport-node';
import type { NatsLink } from '../connection.js';

/** A message for a stream. */
export interface StreamMessage {
  readonly subject: string;
  /** By which the stream recognises a repetition. */
  readonly id: string;
  readonly payload: string;
}

interface Window {
  readonly waiting: Set<string>;
  lastSequence: number;
  readonly settle: (failure?: Error) => void;
}

const ACK_WITHIN_MS = 2_000;

/**
 * Publishes messages to a stream side by side and waits for all their acknowledgements together. The JetStream client
 * makes a request of each publish, with a timer, two promises and an error of its own: ten times the work.
 */
export class PublishWindow {
  readonly #inbox = createInbox();
  readonly #open = new Set<Window>();
  #subscription: Subscription | undefined;
  #published = 0;

  constructor(
    private readonly link: NatsLink,
    private readonly stream: string,
  ) {}

  /**
   * Resolves with the highest sequence once the stream has stored all of them; rejects at the first refusal, or when an
   * acknowledgement is missing after two seconds.
   */
  publish(messages: readonly StreamMessage[]): Promise<number> {
    this.#subscription ??= this.link.subscribe(`${this.#inbox}.*`, message => this.#acknowledged(message), {
      where: 'publish acknowledgements',
    });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => window.settle(new Error(`no acknowledgement within ${ACK_WITHIN_MS / 1000} s`)),
        ACK_WITHIN_MS,
      );
      const window: Window = {
        waiting: new Set(),
        lastSequence: 0,
        settle: failure => {
          clearTimeout(timer);
          this.#open.delete(window);
          if (failure) reject(failure);
          else resolve(window.lastSequence);
        },
      };
      this.#open.add(window);
      try {
        for (const message of messages) this.#send(message, window);
      } catch (error) {
        window.settle(error as Error);
      }
      if (messages.length === 0) window.settle();
    });
  }

  #send({ subject, id, payload }: StreamMessage, { waiting }: Window): void {
    const reply = `${this.#inbox}.${++this.#published}`;
    waiting.add(reply);
    const about = headers();
    about.set('Nats-Msg-Id', id);
    about.set('Nats-Expected-Stream', this.stream);
    this.link.nc.publish(subject, payload, { reply, headers: about });
  }

  #acknowledged(message: Msg): void {
    const window = [...this.#open].find(({ waiting }) => waiting.delete(message.subject));
    // A late one belongs to a window that has been given up.
    if (!window) return;
    const stored = storedSequence(message, this.stream);
    if (stored instanceof Error) {
      window.settle(stored);
      return;
    }
    window.lastSequence = Math.max(window.lastSequence, stored);
    if (window.waiting.size === 0) window.settle();
  }
}

const storedSequence = (message: Msg, stream: string): number | Error => {
  if (message.data.length === 0) return new Error(`no stream takes what is published to ${stream}`);
  let answer: { seq?: number; error?: { description: string } };
  try {
    answer = message.json();
  } catch {
    return new Error(`what acknowledged an event of the stream ${stream} is no JSON`);
  }
  if (answer.error) return new Error(`the stream ${stream} refused an event: ${answer.error.description}`);
  return answer.seq ?? new Error(`the stream ${stream} acknowledged an event without its sequence`);
};
