import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, Every, type TaskRun } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { AuditLog } from './ports.js';
import type { auditLogSettings } from './settings.js';

type Config = ConfigOf<ConfigDefinition<typeof auditLogSettings>>;

const DAY_MS = 86_400_000;

/** Deletes audit entries that are older than the configured number of days. */
@Injectable()
export class DeleteOldEntries {
  constructor(
    private readonly log: AuditLog,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Every(3_600_000, 'delete old audit entries', { onOneReplica: true })
  run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    return this.log.deleteBefore(new Date(now.getTime() - this.config.auditLogDays * DAY_MS));
  }
}
