import type { Subscription } from '@nats-io/transport-node';
import type { EventContract } from '@postern/contracts';
import type { NatsLink } from '../connection.js';

/** Ends a wait when the source says that there are new events. */
export class WakeUp {
  #subscriptions: Pick<Subscription, 'isClosed' | 'unsubscribe'>[] = [];
  #isWoken = false;
  #end: (() => void) | undefined;

  constructor(
    private readonly link: Pick<NatsLink, 'subscribe'>,
    private readonly contracts: readonly EventContract[],
  ) {}

  start(): void {
    const wake = () => {
      this.#isWoken = true;
      this.#end?.();
    };
    this.#subscriptions = this.contracts.map(({ subject }) => this.link.subscribe(subject, wake));
  }

  stop(): void {
    for (const subscription of this.#subscriptions) if (!subscription.isClosed()) subscription.unsubscribe();
    this.#end?.();
  }

  /** Call it before reading: a later message may be about events that the read does not see. */
  expect(): void {
    this.#isWoken = false;
  }

  /** Resolves at a message since `expect`, at the latest after `ms`. */
  async wait(ms: number, stop: AbortSignal): Promise<void> {
    if (this.#isWoken || stop.aborted) return;
    await new Promise<void>(resolve => {
      const end = () => {
        clearTimeout(timer);
        stop.removeEventListener('abort', end);
        this.#end = undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      stop.addEventListener('abort', end, { once: true });
      this.#end = end;
    });
  }
}
