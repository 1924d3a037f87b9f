interface Connection {
  readonly client: string;
  readonly timer: NodeJS.Timeout;
}

/** Counts the open connections of each client, and limits how long each stays open. */
export class ClientConnections {
  private readonly open = new Map<string, Connection>();
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly limits: { readonly perClient: number; readonly sessionMs: number },
    private readonly onExpired: (sessionId: string) => void,
  ) {}

  /** False if the client has too many connections. */
  add(sessionId: string, client: string): boolean {
    const count = (this.counts.get(client) ?? 0) + 1;
    if (count > this.limits.perClient) return false;
    this.counts.set(client, count);
    const timer = setTimeout(() => this.onExpired(sessionId), this.limits.sessionMs);
    this.open.set(sessionId, { client, timer });
    return true;
  }

  remove(sessionId: string): void {
    const connection = this.open.get(sessionId);
    if (!connection) return;
    clearTimeout(connection.timer);
    this.open.delete(sessionId);
    const left = (this.counts.get(connection.client) ?? 1) - 1;
    if (left > 0) this.counts.set(connection.client, left);
    else this.counts.delete(connection.client);
  }

  close(): void {
    for (const sessionId of [...this.open.keys()]) this.remove(sessionId);
  }
}
