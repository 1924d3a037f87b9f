import { Injectable } from '@nestjs/common';
import { GroupCommit } from '@postern/event-sourcing';
import type { SignalFate, ToldSignal } from './ports.js';
import { RecordSignals } from './record-signals.js';

/** Records single signals; those that come at the same time share a transaction, so that one fsync carries many. */
@Injectable()
export class SignalGroups {
  readonly #groups: GroupCommit<ToldSignal, SignalFate>;

  constructor(signals: RecordSignals) {
    this.#groups = new GroupCommit({ flush: batch => signals.execute(batch) });
  }

  /** Resolves once the signal is durable. */
  record(told: ToldSignal): Promise<SignalFate> {
    return this.#groups.submit(told);
  }

  /** Resolves when nothing is on its way to the database any more. */
  drain(): Promise<void> {
    return this.#groups.drain();
  }
}
