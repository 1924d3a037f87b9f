import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { withLeadership } from '@postern/event-sourcing/postgres';
import { Database, Tasks } from '@postern/service-host';
import { BackupReconciler } from './backup-reconciler.js';
import { DatabaseReconciler } from './database-reconciler.js';

/** Runs the reconcilers of databases and of their backups, each in one replica at a time. */
@Injectable()
export class DatabaseTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly database: Database,
    private readonly reconciler: DatabaseReconciler,
    private readonly backups: BackupReconciler,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(2_000, 'reconcile databases', signal =>
      withLeadership(this.database.pool, 'databases', signal, lost => this.reconciler.lead(lost)),
    );
    this.tasks.every(2_000, 'reconcile backups of databases', signal =>
      withLeadership(this.database.pool, 'database backups', signal, lost => this.backups.lead(lost)),
    );
  }
}
