import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { withLeadership } from '@postern/event-sourcing/postgres';
import { Database, Tasks } from '@postern/service-host';
import { CountTraffic } from './count-traffic.js';
import { DeleteOldBandwidth } from './delete-old-bandwidth.js';

/** Counts traffic and deletes old bandwidth usage on timers, each in one replica at a time. */
@Injectable()
export class ModerationTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly database: Database,
    private readonly traffic: CountTraffic,
    private readonly oldBandwidth: DeleteOldBandwidth,
  ) {}

  onApplicationBootstrap(): void {
    this.#lead(15_000, 'count traffic', () => this.traffic.run(new Date()));
    this.#lead(60_000, 'delete old bandwidth usage', () => this.oldBandwidth.run(new Date()));
  }

  #lead(everyMs: number, name: string, run: () => Promise<void>): void {
    this.tasks.every(everyMs, name, signal => withLeadership(this.database.pool, name, signal, run));
  }
}
