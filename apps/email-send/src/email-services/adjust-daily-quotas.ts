import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Every } from '@postern/service-host';
import { DailyUsage, type FinishedDay } from './daily-usage.js';
import { emailService, emailServiceStream } from './email-service.js';
import { LimitDefaults } from './limit-defaults.js';

const BATCH = 200;

/**
 * Evaluates every finished UTC day, once per service and in order, including days on which no process ran.
 * Two replicas that evaluate the same day make one change, because the service's stream accepts it once.
 */
@Injectable()
export class AdjustDailyQuotas {
  constructor(
    private readonly streams: Streams,
    private readonly usage: DailyUsage,
    private readonly defaults: LimitDefaults,
  ) {}

  /** After a failure, only the later days of the same service wait. */
  @Every(60_000, 'adjust daily quotas')
  async run(): Promise<void> {
    for (;;) {
      const days = await this.usage.listUnevaluated(BATCH);
      const failed = new Map<string, unknown>();
      for (const day of days) {
        if (failed.has(day.serviceId)) continue;
        await this.#evaluate(day).catch(error => failed.set(day.serviceId, error));
      }
      if (failed.size > 0)
        throw new AggregateError(failed.values(), `the quotas of ${failed.size} services were not adjusted`);
      if (days.length < BATCH) return;
    }
  }

  async #evaluate({ serviceId, day, messages, bounced, complained }: FinishedDay): Promise<void> {
    try {
      await this.streams.execute(emailService, emailServiceStream(serviceId), {
        kind: 'close-day',
        day,
        counts: { messages, bounced, complained },
        ceiling: this.defaults.productionDailyCeiling,
        at: new Date().toISOString(),
      });
    } catch (error) {
      // Counts of a service that does not exist change nothing and need no retry.
      if (!Refusal.is(error)) throw error;
    }
    await this.usage.markEvaluated(serviceId, day);
  }
}
