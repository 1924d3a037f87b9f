export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly maxMessagesPerMinute: number;
  /** Longest life of a connection, however busy it is. */
  readonly sessionMs: number;
}

interface Session {
  readonly address: string;
  readonly timer: NodeJS.Timeout;
}

/** Counts what each address does, so that one of them cannot keep the listener from all others. */
export class ConnectionBounds {
  readonly #sessions = new Map<string, Session>();
  readonly #connections = new Map<string, number>();
  readonly #messages = new Map<string, number>();
  readonly #minute: NodeJS.Timeout;

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly onExpired: (sessionId: string) => void,
  ) {
    this.#minute = setInterval(() => this.#messages.clear(), 60_000);
    this.#minute.unref();
  }

  /** False where the address has all the connections it may have. */
  admit(sessionId: string, address: string): boolean {
    const connections = (this.#connections.get(address) ?? 0) + 1;
    if (connections > this.limits.maxConnectionsPerAddress) return false;
    this.#connections.set(address, connections);
    const timer = setTimeout(() => this.onExpired(sessionId), this.limits.sessionMs);
    this.#sessions.set(sessionId, { address, timer });
    return true;
  }

  leave(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    if (!session) return;
    clearTimeout(session.timer);
    this.#sessions.delete(sessionId);
    const left = (this.#connections.get(session.address) ?? 1) - 1;
    if (left > 0) this.#connections.set(session.address, left);
    else this.#connections.delete(session.address);
  }

  /** False where the address has sent as many messages within the minute as it may. */
  oneMoreMessage(address: string): boolean {
    const messages = (this.#messages.get(address) ?? 0) + 1;
    this.#messages.set(address, messages);
    return messages <= this.limits.maxMessagesPerMinute;
  }

  close(): void {
    clearInterval(this.#minute);
    for (const { timer } of this.#sessions.values()) clearTimeout(timer);
    this.#sessions.clear();
  }
}
