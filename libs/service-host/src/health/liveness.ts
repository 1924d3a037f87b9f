import type { NatsLink } from '@postern/messaging';

const ANSWER_WITHIN_MS = 1_000;
/** A server that is silent is given up by the client itself within 30 seconds; beyond this the client is broken. */
const SILENT_FOR_MS = 90_000;

/**
 * Whether only a new process helps; also the injection token. A NATS or a database that is away does not count: a
 * restart would not bring it back.
 */
export class Liveness {
  #silentSince: number | undefined;

  constructor(private readonly link: NatsLink) {}

  /** Undefined while the process can work or heal by itself. */
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
    return silentMs > SILENT_FOR_MS ? 'the connection to NATS looks open and carries nothing' : undefined;
  }
}
