import { findWorkspaces, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { AccountDirectory } from '../users/ports.js';
import { COUNT_FOUND_WORKSPACES, FIND_WORKSPACES } from './workspaces.sql.js';

interface FoundRow {
  readonly id: string;
  readonly name: string;
  readonly owners: string[];
  readonly created_at: Date;
}

/** Finds workspaces for an operator, newest first. */
@Handles(findWorkspaces)
export class FindWorkspaces {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute(request: RequestOf<typeof findWorkspaces>): Promise<ReplyOf<typeof findWorkspaces>> {
    const { actor_id, limit, offset } = request;
    const actor = await this.accounts.find(actor_id);
    if (!actor?.operator) throw new Refusal('not_an_operator', 'only an operator can find workspaces');
    const search = request.search.toLowerCase();
    const [{ rows }, { rows: counts }] = await Promise.all([
      this.database.reads.query<FoundRow>({ text: FIND_WORKSPACES, values: [search, limit, offset] }),
      this.database.reads.query<{ total: number }>({ text: COUNT_FOUND_WORKSPACES, values: [search] }),
    ]);
    const items = rows.map(({ created_at, ...row }) => ({ ...row, created_at: created_at.toISOString() }));
    return { items, total: counts[0]?.total ?? 0, limit, offset };
  }
}
