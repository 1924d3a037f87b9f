import { Injectable } from '@nestjs/common';
import type { RequestOf, setServiceLimits } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { emailService, emailServiceStream } from '../domain/email-service.js';

/** The operator's limits for one service replace the ones set before; those not named follow the defaults. */
@Injectable()
export class SetServiceLimits {
  constructor(private readonly streams: Streams) {}

  async execute({ service_id, limits }: RequestOf<typeof setServiceLimits>): Promise<void> {
    await this.streams.execute(emailService, emailServiceStream(service_id), {
      kind: 'set-limits',
      limits,
      at: new Date().toISOString(),
    });
  }
}
