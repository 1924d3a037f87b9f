export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly maxMessagesPerMinute: number;
  /** Maximum lifetime of a connection, idle or not. */
  readonly sessionMs: number;
}

interface Session {
  readonly address: string;
  readonly timer: NodeJS.Timeout;
}

/** Limits connections and messages per client network, so that one client cannot exhaust the listener. */
export class ConnectionLimiter {
  readonly #sessions = new Map<string, Session>();
  readonly #connections = new Map<string, number>();
  readonly #messages = new Map<string, number>();
  readonly #reset: NodeJS.Timeout;

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly onExpired: (sessionId: string) => void,
  ) {
    this.#reset = setInterval(() => this.#messages.clear(), 60_000);
    this.#reset.unref();
  }

  /** Returns false if the address has reached its connection limit. */
  connect(sessionId: string, address: string): boolean {
    const connections = (this.#connections.get(address) ?? 0) + 1;
    if (connections > this.limits.maxConnectionsPerAddress) return false;
    this.#connections.set(address, connections);
    const timer = setTimeout(() => this.onExpired(sessionId), this.limits.sessionMs);
    this.#sessions.set(sessionId, { address, timer });
    return true;
  }

  disconnect(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    if (!session) return;
    clearTimeout(session.timer);
    this.#sessions.delete(sessionId);
    const left = (this.#connections.get(session.address) ?? 1) - 1;
    if (left > 0) this.#connections.set(session.address, left);
    else this.#connections.delete(session.address);
  }

  /** Counts a message; returns false if the address has exceeded its messages per minute. */
  countMessage(address: string): boolean {
    const messages = (this.#messages.get(address) ?? 0) + 1;
    this.#messages.set(address, messages);
    return messages <= this.limits.maxMessagesPerMinute;
  }

  close(): void {
    clearInterval(this.#reset);
    for (const { timer } of this.#sessions.values()) clearTimeout(timer);
    this.#sessions.clear();
  }
}
