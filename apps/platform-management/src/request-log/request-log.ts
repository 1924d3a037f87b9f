import { Inject, Injectable } from '@nestjs/common';
import {
  type ListedRequest,
  listPlatformRequests,
  Refusal,
  type ReplyOf,
  type RequestOf,
  recordPlatformRequests,
} from '@postern/contracts';
import { inSteps } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { CONFIG, Database, Every, type TaskRun } from '@postern/service-host';
import type { PlatformManagementConfig } from '../config.js';
import { FIND_KEY, INSERT_REQUESTS, LIST_REQUESTS, PURGE_REQUESTS } from './request-log.sql.js';

const DAY_MS = 86_400_000;

type RequestRow = Omit<ListedRequest, 'at' | 'key'> & {
  readonly at: Date;
  readonly key_id: string;
  readonly key_name: string;
  readonly total: number;
};

/** The requests that clients have sent with platform keys. */
@Injectable()
export class RequestLog {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<PlatformManagementConfig, 'requestLogDays'>,
  ) {}

  @Handles(recordPlatformRequests)
  async record({
    requests,
  }: RequestOf<typeof recordPlatformRequests>): Promise<ReplyOf<typeof recordPlatformRequests>> {
    await this.database.pool.query({ name: 'log-requests', text: INSERT_REQUESTS, values: [JSON.stringify(requests)] });
    return {};
  }

  /** Newest first. Refuses with `platform_key_not_found`, also for keys of other workspaces. */
  @Handles(listPlatformRequests)
  async list(request: RequestOf<typeof listPlatformRequests>): Promise<ReplyOf<typeof listPlatformRequests>> {
    const { workspace_id, key_id, request_id, outcome, code, limit, offset } = request;
    const { rowCount } = await this.database.pool.query(FIND_KEY, [key_id, workspace_id]);
    if (rowCount === 0) throw new Refusal('platform_key_not_found', 'there is no such platform key');
    const values = [key_id, workspace_id, request_id, outcome, code, limit, offset].map(value => value ?? null);
    const { rows } = await this.database.pool.query<RequestRow>(LIST_REQUESTS, values);
    return { items: rows.map(listed), total: rows[0]?.total ?? 0, limit, offset };
  }

  @Every(10 * 60_000, 'purge logged requests')
  async purge({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    const before = new Date(now.getTime() - this.config.requestLogDays * DAY_MS);
    await inSteps(this.database.pool, PURGE_REQUESTS, [before]);
  }
}

const listed = ({ total: _total, key_id, key_name, at, ...row }: RequestRow): ListedRequest => ({
  id: row.id,
  request_id: row.request_id,
  at: at.toISOString(),
  method: row.method,
  path: row.path,
  status: row.status,
  code: row.code,
  message: row.message,
  duration_ms: row.duration_ms,
  email_id: row.email_id,
  body: row.body,
  key: { id: key_id, name: key_name },
});
