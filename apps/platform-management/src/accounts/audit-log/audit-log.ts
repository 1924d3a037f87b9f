import { Injectable } from '@nestjs/common';
import type { AuditEntry, auditLogFilter, recordAuditEntry } from '@postern/contracts';
import { inPipelinedTransaction } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import type { z } from 'zod';
import {
  AUDIT_ENTRIES_AFTER,
  type AuditRow,
  COUNT_AUDIT_ENTRIES,
  LIST_AUDIT_ENTRIES,
  LOCK_REPEATED_REFUSALS,
  MERGE_REPEATED_REFUSAL,
  RECORD_AUDIT_ENTRY,
} from './audit-log.sql.js';

type Recorded = z.output<typeof recordAuditEntry.request>;

/** An entry with the actor instead of the address of a login. */
export type NewAuditEntry = Omit<Recorded, 'login'>;

/** Selects the entries of all workspaces if `workspaceId` is undefined. */
export interface AuditScope extends z.output<typeof auditLogFilter> {
  readonly workspaceId: string | undefined;
}

/** The position of an entry in the order of time. */
export interface AuditCursor {
  readonly at: Date;
  readonly id: string;
}

export interface AuditPage {
  readonly items: AuditEntry[];
  readonly total: number;
}

/** The account of a login. */
export interface LoginActor {
  readonly actor: NewAuditEntry['actor'];
  /** The first workspace of a user. */
  readonly workspaceId: string | null;
}

/** Number of similar refusals per hour that are stored as separate entries. */
const SEPARATE_ENTRIES_PER_HOUR = 10;

/** Stores the audit log in PostgreSQL, ordered by the clock of the database. */
@Injectable()
export class AuditLog {
  constructor(private readonly database: Database) {}

  /** Stores the entry, or updates the outcome of the stored entry unless it is final. Committed when it resolves. */
  async record(entry: NewAuditEntry): Promise<void> {
    const { entry_id, actor, action, resource, workspace_id, client, outcome, code, request_id, times } = entry;
    await this.database.pool.query(RECORD_AUDIT_ENTRY, [
      entry_id,
      actor.type,
      actor.id,
      action,
      resource.type,
      resource.id,
      workspace_id,
      client.network,
      client.user_agent,
      outcome,
      code,
      request_id,
      times ?? 1,
    ]);
  }

  /** Counts a refusal in an earlier entry if there are many similar ones in the last hour. */
  async mergeRepeated({ entry_id, action, code, client: { network } }: NewAuditEntry): Promise<void> {
    const kind = JSON.stringify([action, code, network]);
    await inPipelinedTransaction(
      this.database.pool,
      client => [client.query(LOCK_REPEATED_REFUSALS, [kind])],
      client => client.query(MERGE_REPEATED_REFUSAL, [entry_id, SEPARATE_ENTRIES_PER_HOUR]),
    );
  }

  async list(scope: AuditScope, { limit, offset }: { limit: number; offset: number }): Promise<AuditPage> {
    const [entries, counts] = await Promise.all([
      this.database.pool.query<AuditRow>(LIST_AUDIT_ENTRIES, [...matching(scope), limit, offset]),
      this.database.pool.query<{ total: number }>(COUNT_AUDIT_ENTRIES, matching(scope)),
    ]);
    return { items: entries.rows.map(entryOf), total: counts.rows[0]?.total ?? 0 };
  }

  async after(scope: AuditScope, cursor: AuditCursor | undefined, limit: number): Promise<AuditEntry[]> {
    const values = [...matching(scope), cursor?.at ?? null, cursor?.id ?? null, limit];
    return (await this.database.pool.query<AuditRow>(AUDIT_ENTRIES_AFTER, values)).rows.map(entryOf);
  }
}

const matching = ({ workspaceId, from, to, actor, action }: AuditScope) => [
  workspaceId ?? null,
  from ?? null,
  to ?? null,
  actor ?? null,
  action ?? null,
];

const entryOf = (row: AuditRow): AuditEntry => ({
  id: row.id,
  at: row.at.toISOString(),
  actor: { type: row.actor_type as AuditEntry['actor']['type'], id: row.actor_id },
  action: row.action,
  resource: { type: row.resource_type, id: row.resource_id },
  workspace_id: row.workspace_id,
  client: { network: row.client_network, user_agent: row.user_agent },
  outcome: row.outcome as AuditEntry['outcome'],
  code: row.code,
  request_id: row.request_id,
  times: row.times,
});
