import { Injectable } from '@nestjs/common';
import { ServiceLog, Tasks } from '@postern/service-host';
import { DisableFailingWebhooks } from './deliveries/disable-failing-webhooks.js';
import { ForgetOldDeliveries } from './deliveries/purge-deliveries.js';
import { WorkOffDeliveries } from './deliveries/process-deliveries.js';

/** What runs beside the requests; the service host ends it in order. */
@Injectable()
export class RunningParts {
  constructor(
    private readonly tasks: Tasks,
    private readonly log: ServiceLog,
    private readonly work: WorkOffDeliveries,
    private readonly disabling: DisableFailingWebhooks,
    private readonly forgetting: ForgetOldDeliveries,
  ) {}

  start(): void {
    const complain = (err: unknown) => this.log.error({ err }, 'The delivery queue cannot be worked on; trying again');
    this.tasks.every(1_000, 'work off deliveries', signal => this.work.run(signal, complain));
    this.tasks.every(60_000, 'disable failing webhooks', () => this.disabling.run());
    this.tasks.every(3_600_000, 'forget old deliveries', () => this.forgetting.run());
  }
}
