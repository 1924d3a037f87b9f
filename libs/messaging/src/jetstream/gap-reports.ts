import { setTimeout as pause } from 'node:timers/promises';
import { instruments } from '../instruments.js';
import type { Log } from '../log.js';
import type { MissingSequences } from './delivery-sequence.js';

/** A report to the publishing service about events that a consumer misses. */
export interface EventGap extends MissingSequences {
  readonly consumer: string;
  /** Creation time of the stream that the sequences belong to. */
  readonly streamCreated: string;
}

/** Reports a gap to the publishing service; resolves when the service has stored the report. */
export type ReportGap = (gap: EventGap) => Promise<void>;

export interface GapReportsOptions {
  readonly durable: string;
  readonly log: Log;
  readonly report: ReportGap;
  readonly stopping: AbortSignal;
}

const RETRY_MS = [1_000, 5_000, 15_000, 30_000] as const;

/** Reports every gap until the publishing service has stored it. */
export class GapReports {
  readonly #pending = new Set<Promise<void>>();
  #streamCreated = '';
  #reportedTo = 0;

  constructor(private readonly options: GapReportsOptions) {
    instruments().eventGaps.add(0, { consumer: options.durable });
  }

  add(streamCreated: string, { first, last }: MissingSequences): void {
    if (streamCreated !== this.#streamCreated) this.#reportedTo = 0;
    this.#streamCreated = streamCreated;
    const from = Math.max(first, this.#reportedTo + 1);
    if (from > last) return;
    this.#reportedTo = last;
    const { durable: consumer, log } = this.options;
    instruments().eventGaps.add(1, { consumer });
    log.error({ consumer, first: from, last }, 'The stream lost events before this consumer received them');
    const pending = this.#report({ consumer, streamCreated, first: from, last });
    this.#pending.add(pending);
    void pending.finally(() => this.#pending.delete(pending));
  }

  async finish(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #report(gap: EventGap): Promise<void> {
    const { log, report, stopping, durable: consumer } = this.options;
    for (let attempt = 0; !stopping.aborted; attempt++) {
      try {
        await report(gap);
        log.info({ consumer, first: gap.first, last: gap.last }, 'The lost events will be published again');
        return;
      } catch (error) {
        if (attempt === 0)
          log.warn({ err: error, consumer }, 'Lost events could not be reported; the report will be retried');
      }
      await pause(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)], undefined, { signal: stopping }).catch(() => {});
    }
  }
}
