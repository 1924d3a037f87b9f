import { Inject, Injectable } from '@nestjs/common';
import {
  listPlatformRequests,
  Refusal,
  type ReplyOf,
  type RequestOf,
  recordPlatformRequests,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CONFIG, Database, Every, LoggedRequests, type TaskRun } from '@postern/service-host';
import type { PlatformManagementConfig } from '../config.js';
import * as STATEMENTS from './request-log.sql.js';

/** The requests that clients have sent with platform keys. */
@Injectable()
export class RequestLog {
  readonly #requests: LoggedRequests;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<PlatformManagementConfig, 'requestLogDays'>,
  ) {
    this.#requests = new LoggedRequests(database, STATEMENTS);
  }

  @Handles(recordPlatformRequests)
  async record({
    requests,
  }: RequestOf<typeof recordPlatformRequests>): Promise<ReplyOf<typeof recordPlatformRequests>> {
    await this.#requests.record(requests);
    return {};
  }

  /** Newest first. Refuses with `platform_key_not_found`, also for keys of other workspaces. */
  @Handles(listPlatformRequests)
  async list(request: RequestOf<typeof listPlatformRequests>): Promise<ReplyOf<typeof listPlatformRequests>> {
    const { workspace_id, key_id } = request;
    const { rowCount } = await this.database.pool.query(STATEMENTS.FIND_KEY, [key_id, workspace_id]);
    if (rowCount === 0) throw new Refusal('platform_key_not_found', 'there is no such platform key');
    return this.#requests.list(workspace_id, request);
  }

  @Every(10 * 60_000, 'purge logged requests')
  async purge({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    await this.#requests.purge(now, this.config.requestLogDays);
  }
}
