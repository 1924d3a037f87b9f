import type { NatsLink } from '@postern/messaging';

const ANSWER_WITHIN_MS = 1_000;
/** The client closes a silent connection within 30 seconds; after this time the client is broken. */
const SILENT_FOR_MS = 90_000;

/**
 * Whether the process must be restarted; also the injection token. An unavailable NATS or database does not count,
 * because a restart would not help.
 */
export class Liveness {
  #silentSince: number | undefined;

  constructor(private readonly link: NatsLink) {}

  /** Undefined while the process works or can recover. */
  async problem(): Promise<string | undefined> {
    if (this.link.closed) return 'the connection to NATS is closed';
    if (!this.link.connected) {
      this.#silentSince = undefined;
      return undefined;
    }
    try {
      await this.link.roundTrip(ANSWER_WITHIN_MS);
      this.#silentSince = undefined;
    } catch {
      this.#silentSince ??= performance.now();
    }
    const silentMs = this.#silentSince === undefined ? 0 : performance.now() - this.#silentSince;
    return silentMs > SILENT_FOR_MS ? 'the connection to NATS is open but carries nothing' : undefined;
  }
}
