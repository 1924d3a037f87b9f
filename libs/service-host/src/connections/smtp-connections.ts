/** The part of an `SMTPServer` that closes connections. */
interface ConnectedServer {
  readonly connections: Iterable<{ readonly id: string; close(): void }>;
}

export interface SmtpConnectionLimits {
  readonly perClient: number;
  /** Maximum lifetime of a connection, idle or not. */
  readonly sessionMs: number;
}

interface OpenConnection {
  readonly client: string;
  readonly timer: NodeJS.Timeout;
}

/** Limits the open connections of each client of an SMTP listener, and closes each after its maximum lifetime. */
export class SmtpConnections {
  readonly #open = new Map<string, OpenConnection>();
  readonly #counts = new Map<string, number>();

  /** @param servers of the listener, read when a connection expires. */
  constructor(
    private readonly limits: SmtpConnectionLimits,
    private readonly servers: () => Iterable<ConnectedServer>,
  ) {}

  /** Returns false if the client has too many connections. */
  add(sessionId: string, client: string): boolean {
    const count = (this.#counts.get(client) ?? 0) + 1;
    if (count > this.limits.perClient) return false;
    this.#counts.set(client, count);
    const timer = setTimeout(() => this.#expire(sessionId), this.limits.sessionMs);
    this.#open.set(sessionId, { client, timer });
    return true;
  }

  /** Does nothing for a connection that was not added. */
  remove(sessionId: string): void {
    const connection = this.#open.get(sessionId);
    if (!connection) return;
    clearTimeout(connection.timer);
    this.#open.delete(sessionId);
    const left = (this.#counts.get(connection.client) ?? 1) - 1;
    if (left > 0) this.#counts.set(connection.client, left);
    else this.#counts.delete(connection.client);
  }

  /** Removes all connections; none of them expires. */
  close(): void {
    for (const sessionId of [...this.#open.keys()]) this.remove(sessionId);
  }

  #expire(sessionId: string): void {
    for (const { connections } of this.servers()) {
      for (const connection of connections) if (connection.id === sessionId) connection.close();
    }
  }
}
