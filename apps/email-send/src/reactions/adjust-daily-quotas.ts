import { Injectable } from '@nestjs/common';
import { Streams } from '@postern/event-sourcing';
import { emailService, emailServiceStream } from '../domain/email-service.js';
import { AdministrationSettings, DayBook } from '../ports.js';

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

  async run(): Promise<void> {
    for (;;) {
      const days = await this.days.unjudged(AT_ONCE);
      for (const { serviceId, day, messages, bounced, complained } of days) {
        await this.streams.execute(emailService, emailServiceStream(serviceId), {
          kind: 'close-day',
          day,
          counts: { messages, bounced, complained },
          ceiling: this.settings.limits.productionDailyCeiling,
          at: new Date().toISOString(),
        });
        await this.days.judged(serviceId, day);
      }
      if (days.length < AT_ONCE) return;
    }
  }
}
