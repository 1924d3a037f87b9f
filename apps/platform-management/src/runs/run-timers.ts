import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { withLeadership } from '@postern/event-sourcing/postgres';
import { Database, Tasks } from '@postern/service-host';
import { ExecuteRuns } from './execute-runs.js';

/** Runs one-off commands in one replica at a time. */
@Injectable()
export class RunTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly database: Database,
    private readonly runs: ExecuteRuns,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(1_000, 'execute runs', signal =>
      withLeadership(this.database.pool, 'runs', signal, lost => this.runs.lead(lost)),
    );
  }
}
