import { Injectable } from '@nestjs/common';
import { findWebServices, Refusal, type ReplyOf, type RequestOf, type WebServiceStatus } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { AccountDirectory } from '../../accounts/users/ports.js';
import { WebServiceUrls } from '../services/web-service-urls.js';
import { COUNT_WEB_SERVICES, FIND_WEB_SERVICES } from './moderation.sql.js';

interface FoundRow {
  readonly id: string;
  readonly name: string;
  readonly status: WebServiceStatus;
  readonly blocked_reason: string | null;
  readonly suspended_reason: string | null;
  readonly project_name: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly created_at: Date;
}

/** The search of operators in the web services of all workspaces. */
@Injectable()
export class FoundWebServices {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountDirectory,
    private readonly urls: WebServiceUrls,
  ) {}

  /** Newest first. */
  @Handles(findWebServices)
  async find(request: RequestOf<typeof findWebServices>): Promise<ReplyOf<typeof findWebServices>> {
    const { actor_id, limit, offset } = request;
    const actor = await this.accounts.find(actor_id);
    if (!actor?.operator) throw new Refusal('not_an_operator', 'only an operator can find web services');
    const search = request.search.toLowerCase();
    const text = [search, search.replace(/^https?:\/\//, '').replace(/[/:?#].*$/, '')];
    const [{ rows }, { rows: counts }] = await Promise.all([
      this.database.reads.query<FoundRow>({ text: FIND_WEB_SERVICES, values: [...text, limit, offset] }),
      this.database.reads.query<{ total: number }>({ text: COUNT_WEB_SERVICES, values: text }),
    ]);
    const items = rows.map(async ({ blocked_reason, suspended_reason, created_at, ...row }) => ({
      ...row,
      url: await this.urls.of(row),
      blocked: blocked_reason !== null,
      suspended: suspended_reason !== null,
      flag_reason: blocked_reason ?? suspended_reason,
      created_at: created_at.toISOString(),
    }));
    return { items: await Promise.all(items), total: counts[0]?.total ?? 0, limit, offset };
  }
}
