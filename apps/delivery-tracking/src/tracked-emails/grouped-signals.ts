import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { GroupCommit } from '@postern/event-sourcing';
import { EmailSignals, type ReceivedSignal, type SignalOutcome } from './ports.js';
import { RecordSignals } from './record-signals.js';
import type { Signal } from './signal.js';
import { signalMetadata } from './signal-metadata.js';

/** Records concurrent single signals in shared transactions, so that one fsync commits many. */
@Injectable()
export class GroupedSignals extends EmailSignals implements BeforeApplicationShutdown {
  readonly #groups: GroupCommit<ReceivedSignal, SignalOutcome>;

  constructor(signals: RecordSignals) {
    super();
    this.#groups = new GroupCommit({ flush: batch => signals.execute(batch) });
  }

  override record(emailId: string, signal: Signal, actor?: string): Promise<SignalOutcome> {
    return this.#groups.submit({ emailId, signal, metadata: signalMetadata(actor) });
  }

  /** Waits for signals being written. Their sources stop earlier, in `onModuleDestroy`. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#groups.drain();
  }
}
