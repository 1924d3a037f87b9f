import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { withLeadership } from '@postern/event-sourcing/postgres';
import { Database, Tasks } from '@postern/service-host';
import { DatabaseReconciler } from './database-reconciler.js';

/** Runs the reconciler of databases in one replica at a time. */
@Injectable()
export class DatabaseTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly database: Database,
    private readonly reconciler: DatabaseReconciler,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(2_000, 'reconcile databases', signal =>
      withLeadership(this.database.pool, 'databases', signal, lost => this.reconciler.lead(lost)),
    );
  }
}
