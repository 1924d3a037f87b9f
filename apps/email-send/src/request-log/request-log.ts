import { Inject, Injectable } from '@nestjs/common';
import {
  type ListedRequest,
  listEmailRequests,
  type ReplyOf,
  type RequestOf,
  recordEmailRequests,
} from '@postern/contracts';
import { inSteps } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { CONFIG, Database, Every, type TaskRun } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { EmailServices } from '../email-services/email-services.projection.js';
import { INSERT_REQUESTS, LIST_REQUESTS, PURGE_REQUESTS } from './request-log.sql.js';

const DAY_MS = 86_400_000;

type RequestRow = Omit<ListedRequest, 'at' | 'key'> & {
  readonly at: Date;
  readonly key_id: string;
  readonly key_name: string;
  readonly total: number;
};

/** The requests that clients have sent with the API keys of email services. */
@Injectable()
export class RequestLog {
  constructor(
    private readonly database: Database,
    private readonly services: EmailServices,
    @Inject(CONFIG) private readonly config: Pick<EmailSendConfig, 'requestLogDays'>,
  ) {}

  @Handles(recordEmailRequests)
  async record({ requests }: RequestOf<typeof recordEmailRequests>): Promise<ReplyOf<typeof recordEmailRequests>> {
    await this.database.pool.query({ name: 'log-requests', text: INSERT_REQUESTS, values: [JSON.stringify(requests)] });
    return {};
  }

  /** Newest first. Refuses with `service_not_found`. */
  @Handles(listEmailRequests)
  async list(request: RequestOf<typeof listEmailRequests>): Promise<ReplyOf<typeof listEmailRequests>> {
    await this.services.get(request);
    const { service_id, key_id, request_id, outcome, code, limit, offset } = request;
    const values = [service_id, key_id, request_id, outcome, code, limit, offset].map(value => value ?? null);
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
