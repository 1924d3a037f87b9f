import { comparePositions, type Position } from '../event.js';
import type { FeedPage } from './feed.js';
import type { BrokerState, OutboxCheckpoint, OutboxCheckpoints, Repetition } from './outbox-checkpoints.js';

/** Interval at which the checkpoint is saved while it only passes over events that are not published. */
const SAVE_IDLE_MS = 1_000;

/** The position up to which the leading relay has published, and the state of the broker at that point. */
export class OutboxProgress {
  position: Position;
  broker: BrokerState | undefined;
  /** The time at which the broker was last known to be in the state `broker`, in milliseconds since the epoch. */
  brokerCheckedAt = 0;
  /** Number of events that a publish call with an unknown outcome may have stored beyond the recorded sequence. */
  inDoubt: number;
  repetition: Repetition | undefined;
  /** The next page, read while the current one is published. */
  readAhead: Promise<FeedPage> | undefined;
  /** Between the saved position and `position` there is nothing to publish. */
  #saved: Position;
  #savedAt = 0;

  constructor(
    private readonly checkpoints: OutboxCheckpoints,
    { position, broker, repetition }: OutboxCheckpoint,
    batchSize: number,
  ) {
    this.position = position;
    this.#saved = position;
    this.broker = broker;
    this.repetition = repetition;
    // The previous leader may have died while it published a batch.
    this.inDoubt = batchSize;
  }

  /** Saves the current position if that is due. */
  async saveIfDue(): Promise<void> {
    if (comparePositions(this.#saved, this.position) !== 0 && this.isSaveDue()) await this.save(this.position);
  }

  isSaveDue(): boolean {
    return performance.now() - this.#savedAt >= SAVE_IDLE_MS;
  }

  async save(position: Position): Promise<void> {
    await this.checkpoints.save(position, this.broker);
    this.#saved = position;
    this.#savedAt = performance.now();
  }

  /** Call it after the checkpoint was moved back to `position`. */
  rewound(position: Position): void {
    this.position = position;
    this.#saved = position;
    this.readAhead = undefined;
  }

  /** Marks events that are stored again although the broker has them; undefined once all of them are published. */
  repetitionId(): string | undefined {
    if (this.repetition && comparePositions(this.position, this.repetition.until) >= 0) this.repetition = undefined;
    return this.repetition?.id;
  }

  /** After an error the broker may have changed, and the page that was read ahead may be rejected. */
  distrustBroker(): void {
    this.readAhead = undefined;
    this.brokerCheckedAt = 0;
  }
}
