import { Injectable } from '@nestjs/common';
import { exportAuditLog, listAuditLog, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { listCursor } from '@postern/service-host';
import { AccountDirectory } from '../users/ports.js';
import { type AuditCursor, AuditLog, type AuditScope } from './audit-log.js';
import { AuditNames } from './audit-names.js';

const EXPORTED_AT_ONCE = 500;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Reader = Pick<RequestOf<typeof listAuditLog>, 'user_id' | 'workspace_id'>;

/** Returns the audit log of a workspace, or of all workspaces for operators. */
@Injectable()
export class ReadAuditLog {
  constructor(
    private readonly log: AuditLog,
    private readonly names: AuditNames,
    private readonly accounts: AccountDirectory,
  ) {}

  @Handles(listAuditLog)
  async list(request: RequestOf<typeof listAuditLog>): Promise<ReplyOf<typeof listAuditLog>> {
    const { limit, offset, after: _after, before: _before, ...rest } = request;
    const position = { limit, offset, cursor: listCursor(request) };
    const page = await this.log.list(await this.#scopeOf(rest), position);
    return { ...page, items: await this.names.addTo(page.items), limit, offset };
  }

  @Handles(exportAuditLog)
  async export({ cursor, ...rest }: RequestOf<typeof exportAuditLog>): Promise<ReplyOf<typeof exportAuditLog>> {
    const scope = await this.#scopeOf(rest);
    const entries = await this.log.after(scope, cursor === null ? undefined : cursorFrom(cursor), EXPORTED_AT_ONCE);
    const last = entries.at(-1);
    return {
      entries: await this.names.addTo(entries),
      cursor: last && entries.length === EXPORTED_AT_ONCE ? `${last.at}_${last.id}` : null,
    };
  }

  async #scopeOf({ user_id, workspace_id, ...filter }: Reader & Partial<AuditScope>): Promise<AuditScope> {
    const all = user_id === undefined || (await this.accounts.find(user_id))?.operator === true;
    if (all) return { ...filter, workspaceId: undefined };
    // An undefined workspace would select all workspaces.
    if (workspace_id === undefined) throw new Error('a user reads the audit log without a workspace');
    return { ...filter, workspaceId: workspace_id };
  }
}

const cursorFrom = (text: string): AuditCursor => {
  const [at = '', id = ''] = text.split('_');
  const time = new Date(at);
  if (Number.isNaN(time.getTime()) || !UUID.test(id)) throw new Refusal('invalid_input', 'the cursor is invalid');
  return { at: time, id };
};
