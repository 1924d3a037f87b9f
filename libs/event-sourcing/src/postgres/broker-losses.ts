import { randomUUID } from 'node:crypto';
import { comparePositions } from '../event.js';
import type { BrokerState, Gap, OutboxCheckpoints } from './outbox-checkpoints.js';
import type { OutboxProgress } from './outbox-progress.js';
import type { Publisher } from './publisher.js';

const MAINTAIN_EVERY_MS = 1_000;

export interface BrokerLossesOptions {
  readonly checkpoints: OutboxCheckpoints;
  readonly publisher: Publisher;
  readonly progress: OutboxProgress;
  /** Age limit of events that are published again when the broker has lost everything. */
  readonly lookBackDays: number;
  readonly onRegression: (cause: string) => void;
  readonly onGap: (gap: Gap) => void;
}

/** Finds events that the broker has lost and moves the relay back, so that they are published again. */
export class BrokerLosses {
  /** The range of the stream when it was last checked. */
  #takenByAll: number | undefined;
  #maintainedAt = 0;

  constructor(
    private readonly options: BrokerLossesOptions,
    private brokerFirst: number | undefined,
  ) {}

  /**
   * A broker whose stream was created again, or ends before the recorded sequence, has lost events that consumers may
   * not have received.
   * @returns whether the relay was moved back.
   */
  async checkBroker(): Promise<boolean> {
    const { checkpoints, progress, publisher } = this.options;
    const now = await publisher.state();
    progress.brokerCheckedAt = Date.now();
    const before = progress.broker;
    if (!before || (now?.created === before.created && now.lastSequence >= before.lastSequence)) return false;
    const survived = now?.created === before.created ? now : undefined;
    // A publish call in doubt may have reused the sequences of lost events.
    const kept = Math.max(0, (survived?.lastSequence ?? 0) - progress.inDoubt);
    const certain = survived && (await checkpoints.lastCertain(kept));
    const target = certain ?? (await this.#lookBackStart());
    // Moved back before anything is saved: if saving fails, the events are published again nevertheless.
    progress.rewound(comparePositions(target, progress.position) < 0 ? target : progress.position);
    progress.broker = survived;
    if (!survived) await this.#forgetRange();
    await checkpoints.rewind(progress.position, survived, kept);
    this.options.onRegression(describeRegression(before, survived));
    return true;
  }

  /** Publishes reported gaps again and removes old events, once a second. */
  async maintain(): Promise<void> {
    if (Date.now() - this.#maintainedAt <= MAINTAIN_EVERY_MS) return;
    this.#maintainedAt = Date.now();
    await this.#findRemovedEvents();
    await this.#fillGaps();
    if (this.brokerFirst !== undefined) await this.options.publisher.removeOld?.();
  }

  /**
   * Reports a gap when another client removed the beginning of the stream. Consumers cannot detect it, because the server
   * moves them past removed events.
   */
  async #findRemovedEvents(): Promise<void> {
    const { checkpoints, progress, publisher } = this.options;
    const now = await publisher.retention?.();
    if (!now || now.created !== progress.broker?.created) return;
    const { firstSequence: first, takenByAll, removedTo, created } = now;
    const expected = Math.max(this.brokerFirst ?? first, removedTo + 1, (this.#takenByAll ?? 0) + 1);
    if (first > expected && takenByAll !== undefined)
      await checkpoints.reportGap({
        consumer: 'every consumer',
        brokerCreated: created,
        first: expected,
        last: first - 1,
      });
    if (first !== this.brokerFirst) await checkpoints.saveBrokerFirst(first);
    this.brokerFirst = first;
    this.#takenByAll = takenByAll;
  }

  /** Moves back before the earliest gap. One cursor suffices: the trail also leads back to repeated events. */
  async #fillGaps(): Promise<void> {
    const { checkpoints, progress } = this.options;
    const gaps = await checkpoints.gaps();
    if (gaps.length === 0) return;
    let target = progress.position;
    for (const gap of gaps) {
      // A stream that was created again since then has been filled completely.
      if (progress.broker && gap.brokerCreated !== progress.broker.created) continue;
      const before = (await checkpoints.lastCertain(gap.first - 1)) ?? (await this.#lookBackStart());
      if (await checkpoints.isRepeatedAfter(gap.last, before)) continue;
      if (comparePositions(before, target) < 0) target = before;
      this.options.onGap(gap);
    }
    const { position, repetition: previous } = progress;
    const until = previous && comparePositions(previous.until, position) > 0 ? previous.until : position;
    const isBehind = comparePositions(target, position) < 0;
    const repetition = isBehind ? { until, id: randomUUID().slice(0, 8) } : previous;
    await checkpoints.goBack(gaps, target, progress.broker, repetition);
    progress.repetition = repetition;
    progress.rewound(target);
  }

  #lookBackStart() {
    return this.options.checkpoints.daysAgo(this.options.lookBackDays);
  }

  async #forgetRange(): Promise<void> {
    this.brokerFirst = undefined;
    this.#takenByAll = undefined;
    await this.options.checkpoints.saveBrokerFirst(undefined);
  }
}

const describeRegression = (before: BrokerState, survived: BrokerState | undefined): string =>
  survived
    ? `the stream went back from sequence ${before.lastSequence} to ${survived.lastSequence}`
    : 'the stream was lost';
