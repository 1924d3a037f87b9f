/** Limits the messages per minute of each client, so that one client cannot exhaust the listener. */
export class MessageLimit {
  readonly #messages = new Map<string, number>();
  readonly #reset: NodeJS.Timeout;

  constructor(private readonly perMinute: number) {
    this.#reset = setInterval(() => this.#messages.clear(), 60_000);
    this.#reset.unref();
  }

  /** Counts a message; returns false if the client has exceeded its messages per minute. */
  admit(client: string): boolean {
    const messages = (this.#messages.get(client) ?? 0) + 1;
    this.#messages.set(client, messages);
    return messages <= this.perMinute;
  }

  close(): void {
    clearInterval(this.#reset);
  }
}
