import { Injectable } from '@nestjs/common';
import { type AuditEntry, type auditLogFilter, EXAMINED_ITEMS, type recordAuditEntry } from '@postern/contracts';
import { inPipelinedTransaction } from '@postern/event-sourcing/postgres';
import {
  cappedTotal,
  Database,
  type ListCursor,
  parameterized,
  queryTooBroad,
  unknownCursor,
  withinListTime,
} from '@postern/service-host';
import type { z } from 'zod';
import {
  AUDIT_ENTRIES_AFTER,
  AUDIT_PAGE,
  type AuditList,
  type AuditRow,
  COUNT_AUDIT_ENTRIES,
  LOCK_REPEATED_REFUSALS,
  MERGE_REPEATED_REFUSAL,
  MORE_AUDIT_ENTRIES,
  PLACE_OF_AUDIT_ENTRY,
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
  readonly total_capped?: true;
}

/** The position of a page. */
export interface AuditPosition {
  readonly limit: number;
  readonly offset: number;
  readonly cursor: ListCursor | undefined;
}

/** The account of a login. */
export interface LoginActor {
  readonly actor: NewAuditEntry['actor'];
  /** The first workspace of a user. */
  readonly workspaceId: string | null;
}

const ADVICE = 'Narrow the period with `from` and `to`, or export the log.';

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

  /** Reads a bounded number of entries. Refuses `query_too_broad`, and `invalid_input` for an unknown cursor. */
  async list(scope: AuditScope, { limit, offset, cursor }: AuditPosition): Promise<AuditPage> {
    const values = matching(scope);
    if (cursor) {
      const of = [scope.workspaceId ?? null, cursor.id];
      const { rows } = await this.database.pool.query<{ at: string }>(PLACE_OF_AUDIT_ENTRY, of);
      if (!rows[0]) throw unknownCursor(cursor);
      values.push(rows[0].at, cursor.id);
    }
    const filtered = scope.actor !== undefined || scope.action !== undefined;
    const list: AuditList = { filtered, cursor: cursor?.side, limit, offset };
    return withinListTime(this.database.pool, ADVICE, async client => {
      const { rows } = await client.query<AuditRow>(parameterized(AUDIT_PAGE(list), values));
      if (filtered && rows.length < limit) {
        const more = await client.query(parameterized(MORE_AUDIT_ENTRIES(list), values));
        if (more.rows.length > 0) throw queryTooBroad(ADVICE);
      }
      const counts = await client.query<{ count: number; examined: number }>(
        parameterized(COUNT_AUDIT_ENTRIES(list), values),
      );
      const { count = 0, examined = 0 } = counts.rows[0] ?? {};
      const counted = cappedTotal(count);
      return {
        items: (cursor?.side === 'before' ? rows.toReversed() : rows).map(entryOf),
        ...counted,
        ...(filtered && examined > EXAMINED_ITEMS && { total_capped: true }),
        total: Math.max(counted.total, offset + rows.length),
      };
    });
  }

  async after(scope: AuditScope, cursor: AuditCursor | undefined, limit: number): Promise<AuditEntry[]> {
    const values = [...matching(scope), cursor?.at ?? null, cursor?.id ?? null, limit];
    return (await this.database.pool.query<AuditRow>(AUDIT_ENTRIES_AFTER, values)).rows.map(entryOf);
  }
}

const matching = ({ workspaceId, from, to, actor, action }: AuditScope): (string | null)[] => [
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
