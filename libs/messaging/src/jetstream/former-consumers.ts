import { setTimeout as pause } from 'node:timers/promises';
import { type ServiceName, streamNameOf } from '@postern/contracts';
import type { NatsLink } from '../connection.js';
import type { Log } from '../log.js';
import { consumerInfo } from './durable-reader.js';
import { suitableManager } from './jetstream-publisher.js';

export interface FormerConsumersOptions {
  readonly link: NatsLink;
  readonly log: Log;
  /** The consumer that replaces them. */
  readonly by: { readonly stream: string; readonly durable: string };
  readonly replaced: readonly { readonly source: ServiceName; readonly durable: string }[];
  /** How long a consumer must be unused before it is deleted (1 minute). */
  readonly idleMs?: number;
}

/**
 * Deletes the durable consumers of the previous release, which would keep their streams full. During an upgrade its
 * processes still read them; a consumer is deleted when no process waits for its messages in two checks.
 */
export class FormerConsumers {
  readonly #stopping = new AbortController();
  readonly #idle = new Set<string>();
  #running: Promise<void> | undefined;

  constructor(private readonly options: FormerConsumersOptions) {}

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { link, log, by, replaced, idleMs = 60_000 } = this.options;
    const left = new Map(replaced.map(former => [former.durable, streamNameOf(former.source)]));
    const { signal } = this.#stopping;
    while (left.size > 0 && !signal.aborted) {
      try {
        for (const [durable, stream] of left) if (await this.#deleteIfIdle(stream, durable)) left.delete(durable);
      } catch (error) {
        if (link.connected && !signal.aborted)
          log.warn({ err: error, durable: by.durable }, 'A consumer of the release before could not be deleted yet');
      }
      await pause(idleMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Deletes a replaced consumer that is idle. @returns whether it no longer exists. */
  async #deleteIfIdle(stream: string, durable: string): Promise<boolean> {
    const { link, log, by } = this.options;
    const jsm = await suitableManager(link);
    const info = await consumerInfo(jsm, stream, durable);
    if (!info) return true;
    const isIdle = info.num_waiting === 0 && (await consumerInfo(jsm, by.stream, by.durable)) !== undefined;
    if (!isIdle) {
      this.#idle.delete(durable);
      return false;
    }
    if (!this.#idle.has(durable)) {
      this.#idle.add(durable);
      return false;
    }
    await jsm.consumers.delete(stream, durable);
    log.info({ stream, durable }, 'A consumer of the release before was deleted');
    return true;
  }
}
