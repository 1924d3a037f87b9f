import { Injectable } from '@nestjs/common';
import { LOG_DRAIN_DISABLED_AFTER_DAYS, mailAboutLogDrain, type RequestOf } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { Database, Every } from '@postern/service-host';
import { DISABLE_FAILING, DUE_NOTICES, RECORD_NOTICE } from './log-drains.sql.js';

interface DueNotice {
  readonly id: string;
  readonly webServiceId: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly shownUrl: string;
  readonly state: RequestOf<typeof mailAboutLogDrain>['state'];
  readonly failingSince: Date;
  readonly lastError: string | null;
}

/**
 * Disables drains whose attempts have all failed for three days, and has the owners mailed about drains that fail for an hour
 * or were disabled. email-send sends no mail twice, so a notice that was not recorded can be repeated.
 */
@Injectable()
export class DisableFailingLogDrains {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestClient,
  ) {}

  @Every(60_000, 'disable failing log drains', { onOneReplica: true })
  async run(): Promise<void> {
    const { pool } = this.database;
    await pool.query(DISABLE_FAILING, [LOG_DRAIN_DISABLED_AFTER_DAYS]);
    const { rows } = await pool.query<DueNotice>(DUE_NOTICES);
    for (const { id, webServiceId, name, workspaceId, shownUrl, state, failingSince, lastError } of rows) {
      await this.requests.request(mailAboutLogDrain, {
        workspace_id: workspaceId,
        web_service_id: webServiceId,
        web_service_name: name,
        log_drain_id: id,
        url: shownUrl,
        state,
        since: failingSince.toISOString(),
        error: lastError,
      });
      await pool.query(RECORD_NOTICE, [id, state, failingSince]);
    }
  }
}
