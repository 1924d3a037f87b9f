import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Log } from '@postern/messaging';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { LOCK_INSTANCE } from './process-instance.sql.js';

const RETRY_MS = 250;

/**
 * This process among its replicas. It holds a session lock while it lives: when it dies, PostgreSQL releases the lock at
 * once, and the other replicas know that its messages are abandoned.
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

  /** Resolves when the lock is held; no message may be admitted before. */
  static async start(databaseUrl: string, log: Log): Promise<ProcessInstance> {
    const instance = new ProcessInstance(databaseUrl, log);
    await instance.#lock();
    return instance;
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.end();
  }

  async #lock(): Promise<void> {
    const session = new pg.Client({
      connectionString: this.databaseUrl,
      application_name: 'email-send-instance',
      keepAlive: true,
    });
    session.on('error', () => {});
    await session.connect();
    await session.query(LOCK_INSTANCE, [this.id]);
    this.#session = session;
    session.once('end', () => void this.#relock());
  }

  /** Without its lock this process looks dead to the other replicas. */
  async #relock(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#lock();
        return;
      } catch (error) {
        this.log.warn({ err: error }, 'Lost the liveness lock of this process; acquiring it again');
        await pause(RETRY_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
      }
    }
  }
}
