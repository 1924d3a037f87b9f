import { ask } from '@postern/load-balancer-client/testing';

interface Connection {
  /** Whether a process was killed while the connection was being opened or used. */
  exposed: boolean;
}

/** Requests over connections of their own, several at once, for as long as something happens. */
export class SteadyConnections {
  readonly #open = new Set<Connection>();
  #killing = 0;
  #going = true;
  #answered = 0;
  /** Errors of connections that were opened when no process was being killed. */
  readonly failures: string[] = [];
  /** Errors of connections that were open when a process was killed. */
  readonly lost: string[] = [];
  readonly #loops: Promise<void>[];

  constructor(
    private readonly url: string,
    readonly atOnce: number,
  ) {
    this.#loops = Array.from({ length: atOnce }, () => this.#loop());
  }

  get answered(): number {
    return this.#answered;
  }

  /** A connection may be lost that is open between now and the end of `kill`. */
  async exposedTo(kill: () => Promise<unknown>): Promise<void> {
    this.#killing += 1;
    for (const connection of this.#open) connection.exposed = true;
    await kill();
    this.#killing -= 1;
  }

  async stop(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#loops);
  }

  async #loop(): Promise<void> {
    while (this.#going) {
      const connection: Connection = { exposed: this.#killing > 0 };
      this.#open.add(connection);
      const outcome = await ask(this.url).then(
        ({ status, body }) => (status === 200 ? undefined : `${status} ${body}`),
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );
      this.#open.delete(connection);
      if (outcome === undefined) this.#answered += 1;
      else (connection.exposed && outcome !== 'ECONNREFUSED' ? this.lost : this.failures).push(outcome);
    }
  }
}
