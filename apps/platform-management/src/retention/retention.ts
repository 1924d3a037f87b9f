import { Inject, Injectable } from '@nestjs/common';
import { inSteps } from '@postern/event-sourcing/postgres';
import { CONFIG, Database, Every, type TaskRun } from '@postern/service-host';
import { LOGIN_LIMITS } from '../accounts/login-limits/login-limit.js';
import { RESET_LIMITS } from '../accounts/passwords/password-reset.js';
import type { PlatformManagementConfig } from '../config.js';
import { MINUTES_KEPT_SECONDS, SAMPLES_KEPT_SECONDS } from '../web-services/metrics/metrics.js';
import { monthsBefore } from '../web-services/moderation/bandwidth.js';
import {
  DELETE_EXPIRED_SESSIONS,
  DELETE_OLD_AUDIT_ENTRIES,
  DELETE_OLD_BANDWIDTH,
  DELETE_OLD_DEVICES,
  DELETE_OLD_INVITATIONS,
  DELETE_OLD_LOGIN_FAILURES,
  DELETE_OLD_MINUTES,
  DELETE_OLD_RESET_REQUESTS,
  DELETE_OLD_SAMPLES,
} from './retention.sql.js';

const DAY_S = 86_400;
const BANDWIDTH_MONTHS_KEPT = 13;
/** The oldest step of a history starts up to an hour before its period. */
const LONGEST_STEP_S = 3_600;

type Config = Pick<PlatformManagementConfig, 'auditLogDays' | 'sessionIdleMinutes'>;

/** Deletes the rows that are stored for a limited time. */
@Injectable()
export class Retention {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Every(10 * 60_000, 'delete old rows', { onOneReplica: true })
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
    const deletions: readonly (readonly [statement: string, ...values: unknown[]])[] = [
      [DELETE_EXPIRED_SESSIONS, this.config.sessionIdleMinutes],
      [DELETE_OLD_DEVICES],
      [DELETE_OLD_LOGIN_FAILURES, LOGIN_LIMITS.windowS],
      [DELETE_OLD_RESET_REQUESTS, RESET_LIMITS.windowS],
      [DELETE_OLD_INVITATIONS],
      [DELETE_OLD_AUDIT_ENTRIES, before(this.config.auditLogDays * DAY_S)],
      [DELETE_OLD_BANDWIDTH, monthsBefore(now, BANDWIDTH_MONTHS_KEPT)],
      [DELETE_OLD_SAMPLES, before(SAMPLES_KEPT_SECONDS)],
      [DELETE_OLD_MINUTES, before(MINUTES_KEPT_SECONDS + LONGEST_STEP_S)],
    ];
    for (const [statement, ...values] of deletions) await inSteps(this.database.pool, statement, values);
  }
}
