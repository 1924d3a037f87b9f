import { request } from '@postern/load-balancer-client/testing';

interface Connection {
  /** Whether a process was killed while the connection was being opened or used. */
  exposed: boolean;
}

/** Sends requests, each on its own connection and several in parallel, until `stop` is called. */
export class SteadyConnections {
  readonly #open = new Set<Connection>();
  #killing = 0;
  #going = true;
  #answered = 0;
  /** Errors of connections that were open while no process was being killed. */
  readonly failures: string[] = [];
  /** Errors of connections that were open while a process was being killed. */
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

  /** Connections that are open between now and the end of `kill` may be lost. */
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
      const outcome = await request(this.url).then(
        ({ status, body }) => (status === 200 ? undefined : `${status} ${body}`),
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );
      this.#open.delete(connection);
      if (outcome === undefined) this.#answered += 1;
      else (connection.exposed && outcome !== 'ECONNREFUSED' ? this.lost : this.failures).push(outcome);
    }
  }
}
