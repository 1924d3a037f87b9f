import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Log } from '@postern/messaging';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';

const RETRY_MS = 250;

/** The advisory lock that an instance holds for as long as it lives. */
export const LOCK_OF_INSTANCE = `hashtextextended('email-send instance ' || $1::text, 0)`;

/**
 * This process among its replicas. It lives as long as its session lock is held: when the process dies, PostgreSQL
 * frees the lock at once, and the others know that nobody works on its messages any more.
 */
@Injectable()
export class ProcessInstance implements OnApplicationShutdown {
  readonly id = uuidv7();
  readonly #stopping = new AbortController();
  #session: pg.Client | undefined;

  private constructor(
    private readonly databaseUrl: string,
    private readonly log: Log,
  ) {}

  /** Resolves once the lock is held; before that no message may be let in. */
  static async begin(databaseUrl: string, log: Log): Promise<ProcessInstance> {
    const instance = new ProcessInstance(databaseUrl, log);
    await instance.#hold();
    return instance;
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.end();
  }

  async #hold(): Promise<void> {
    const session = new pg.Client({
      connectionString: this.databaseUrl,
      application_name: 'email-send-instance',
      keepAlive: true,
    });
    session.on('error', () => {});
    await session.connect();
    await session.query(`SELECT pg_advisory_lock(${LOCK_OF_INSTANCE})`, [this.id]);
    this.#session = session;
    session.once('end', () => void this.#regain());
  }

  /** Without its lock this process looks dead to the others, so it is taken again as soon as possible. */
  async #regain(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#hold();
        return;
      } catch (error) {
        this.log.warn({ err: error }, 'The lock that shows this process alive is lost; taking it again');
        await pause(RETRY_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
      }
    }
  }
}
