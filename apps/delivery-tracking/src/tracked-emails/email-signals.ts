import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { GroupCommit } from '@postern/event-sourcing';
import type { ReceivedSignal, SignalOutcome } from './ports.js';
import { RecordSignals } from './record-signals.js';
import type { Signal } from './signal.js';
import { signalMetadata } from './signal-metadata.js';

/**
 * Records single signals for other features. Concurrent ones share a transaction, so that one fsync commits many.
 */
@Injectable()
export class EmailSignals implements BeforeApplicationShutdown {
  readonly #groups: GroupCommit<ReceivedSignal, SignalOutcome>;

  constructor(signals: RecordSignals) {
    this.#groups = new GroupCommit({ flush: batch => signals.execute(batch) });
  }

  /** Resolves once the signal is durable. `actor` is recorded if the current request has none. */
  record(emailId: string, signal: Signal, actor?: string): Promise<SignalOutcome> {
    return this.#groups.submit({ emailId, signal, metadata: signalMetadata(actor) });
  }

  /** Waits for signals being written. Their sources stop earlier, in `onModuleDestroy`. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#groups.drain();
  }
}
