import { type ReplyOf, type RequestOf, setServiceLimits } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { emailService, emailServiceStream } from './email-service.js';
import { EmailServices } from './email-services.projection.js';

/** Replaces the operator's limits of one service, or sets its daily quota; absent limits follow the defaults. */
@Handles(setServiceLimits)
export class SetServiceLimits {
  constructor(
    private readonly streams: Streams,
    private readonly services: EmailServices,
  ) {}

  async execute({ service_id, limits }: RequestOf<typeof setServiceLimits>): Promise<ReplyOf<typeof setServiceLimits>> {
    const { production_daily: dailyQuota, reason, ...others } = limits;
    await this.streams.execute(emailService, emailServiceStream(service_id), {
      kind: 'set-limits',
      limits: dailyQuota !== undefined && Object.keys(others).length === 0 ? undefined : others,
      dailyQuota,
      reason,
      at: new Date().toISOString(),
    });
    return this.services.get({ service_id });
  }
}
