import type { EventContract } from '@postern/contracts';
import type { PostgresEventStore } from '@postern/event-sourcing/postgres';
import type { NatsLink } from '@postern/messaging';

/** A burst of commits wakes the consumers of a type once in this time. */
const EVERY_MS = 50;

/**
 * Tells the consumers in other services that there are new events. A lost message delays an event until the consumer asks by
 * itself.
 */
export class WakeUps {
  readonly #subjects: ReadonlyMap<string, string>;
  readonly #pending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(
    private readonly link: NatsLink,
    private readonly store: PostgresEventStore,
    contracts: readonly EventContract[],
  ) {
    this.#subjects = new Map(contracts.map(({ type, subject }) => [type, subject]));
  }

  start(): void {
    this.#unsubscribe = this.store.onAppended(types => this.#add(types ?? this.#subjects.keys()));
  }

  stop(): void {
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    this.#send();
  }

  #add(types: Iterable<string>): void {
    for (const type of types) {
      const subject = this.#subjects.get(type);
      if (subject) this.#pending.add(subject);
    }
    if (this.#pending.size === 0 || this.#timer) return;
    this.#send();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, EVERY_MS);
    this.#timer.unref();
  }

  #send(): void {
    const { link } = this;
    if (link.connected) for (const subject of this.#pending) link.nc.publish(subject);
    this.#pending.clear();
  }
}
