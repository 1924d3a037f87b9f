import type { ListedRequest, ReportedRequest } from '@postern/contracts';
import { inSteps } from '@postern/event-sourcing/postgres';
import type { Database } from '../database/database.js';
import { PURGE_REQUESTS } from './logged-requests.sql.js';

const DAY_MS = 86_400_000;
/** The statements on the requests of one service. */
export interface RequestLogStatements {
  readonly INSERT_REQUESTS: string;
  readonly LIST_REQUESTS: string;
}

type RequestRow = Omit<ListedRequest, 'at' | 'key'> & {
  readonly at: Date;
  readonly key_id: string;
  readonly key_name: string;
  readonly total: number;
};

export interface LoggedRequestsFilter {
  readonly key_id?: string | undefined;
  readonly request_id?: string | undefined;
  readonly outcome?: string | undefined;
  readonly code?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The requests that clients have sent with keys, in the table `logged_requests` of a service. */
export class LoggedRequests {
  constructor(
    private readonly database: Database,
    private readonly statements: RequestLogStatements,
  ) {}

  async record(requests: readonly ReportedRequest[]): Promise<void> {
    const query = { name: 'log-requests', text: this.statements.INSERT_REQUESTS, values: [JSON.stringify(requests)] };
    await this.database.pool.query(query);
  }

  /** The requests of an owner of keys, newest first. */
  async list(ownerId: string, { key_id, request_id, outcome, code, limit, offset }: LoggedRequestsFilter) {
    const values = [ownerId, key_id, request_id, outcome, code, limit, offset].map(value => value ?? null);
    const { rows } = await this.database.pool.query<RequestRow>(this.statements.LIST_REQUESTS, values);
    return { items: rows.map(listed), total: rows[0]?.total ?? 0, limit, offset };
  }

  async purge(now: Date, keptDays: number): Promise<void> {
    const before = new Date(now.getTime() - keptDays * DAY_MS);
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
