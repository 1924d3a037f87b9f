import { Injectable } from '@nestjs/common';
import { OutboxRelay, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { ServiceLog } from '@postern/service-host';
import { BounceListener } from './delivery-notifications/bounce-listener.js';
import { SignalGroups } from './tracked-emails/grouped-signals.js';

/** What runs beside the requests, started and stopped in order: reports are taken last and let go of first. */
@Injectable()
export class RunningParts {
  /** Where the bounce listener listens, once started. */
  bouncePort = 0;

  constructor(
    private readonly projections: ProjectionRunner,
    private readonly outbox: OutboxRelay,
    private readonly listener: BounceListener,
    private readonly signals: SignalGroups,
    private readonly log: ServiceLog,
  ) {}

  async start(): Promise<void> {
    await this.projections.start();
    this.outbox.start();
    this.bouncePort = await this.listener.listen();
    this.log.info({ port: this.bouncePort }, 'The bounce listener takes reports');
  }

  async stop(): Promise<void> {
    await this.listener.close();
    await this.signals.drain();
    await Promise.all([this.outbox.stop(), this.projections.stop()]);
  }
}
