import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { withLeadership } from '@postern/event-sourcing/postgres';
import { CONFIG, Database, Tasks } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { AuditLog } from './ports.js';
import type { auditLogSettings } from './settings.js';

type Config = ConfigOf<ConfigDefinition<typeof auditLogSettings>>;

const DELETE_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Deletes old entries on a timer, in one replica at a time. */
@Injectable()
export class AuditLogTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly database: Database,
    private readonly log: AuditLog,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    const name = 'delete old audit entries';
    this.tasks.every(DELETE_EVERY_MS, name, signal =>
      withLeadership(this.database.pool, name, signal, () => this.deleteOld(new Date())),
    );
  }

  deleteOld(now: Date): Promise<void> {
    return this.log.deleteBefore(new Date(now.getTime() - this.config.auditLogDays * DAY_MS));
  }
}
