import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { emailService, emailServiceStream } from '../domain/email-service.js';
import { AdministrationSettings, type ClosedDay, DayBook } from '../ports.js';

const AT_ONCE = 200;

/**
 * On a timer: judges every UTC day that is over, once per service and in order, also the days that passed while nobody
 * was running. Two replicas that judge the same day come to one change: the service's stream takes it once.
 */
@Injectable()
export class AdjustDailyQuotas {
  constructor(
    private readonly streams: Streams,
    private readonly days: DayBook,
    private readonly settings: AdministrationSettings,
  ) {}

  /** A service that fails keeps its own later days waiting, and nobody else's. */
  async run(): Promise<void> {
    for (;;) {
      const days = await this.days.unjudged(AT_ONCE);
      const failed = new Map<string, unknown>();
      for (const day of days) {
        if (failed.has(day.serviceId)) continue;
        await this.#judge(day).catch(error => failed.set(day.serviceId, error));
      }
      if (failed.size > 0)
        throw new AggregateError(failed.values(), `quotas of ${failed.size} services were not judged`);
      if (days.length < AT_ONCE) return;
    }
  }

  async #judge({ serviceId, day, messages, bounced, complained }: ClosedDay): Promise<void> {
    try {
      await this.streams.execute(emailService, emailServiceStream(serviceId), {
        kind: 'close-day',
        day,
        counts: { messages, bounced, complained },
        ceiling: this.settings.limits.productionDailyCeiling,
        at: new Date().toISOString(),
      });
    } catch (error) {
      // Counts of a service that does not exist change nothing, and need no second look.
      if (!Refusal.is(error)) throw error;
    }
    await this.days.judged(serviceId, day);
  }
}
