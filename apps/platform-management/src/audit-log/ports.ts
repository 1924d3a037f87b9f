import type { AuditEntry, auditLogFilter, recordAuditEntry } from '@postern/contracts';
import type { z } from 'zod';

type Recorded = z.output<typeof recordAuditEntry.request>;

/** An entry whose login is replaced with the actor. */
export type NewAuditEntry = Omit<Recorded, 'login'>;

/** Without a workspace, the entries of all. */
export interface AuditScope extends z.output<typeof auditLogFilter> {
  readonly workspaceId: string | undefined;
}

/** The place of an entry in the order of time. */
export interface AuditCursor {
  readonly at: Date;
  readonly id: string;
}

export interface AuditPage {
  readonly items: AuditEntry[];
  readonly total: number;
}

/** Entries of the audit log, newest first. */
export abstract class AuditLog {
  /** Stores the entry, or the outcome of the stored one unless it is final. Committed when it returns. */
  abstract record(entry: NewAuditEntry): Promise<void>;
  /** Counts a refusal in an earlier entry, if there are many like it in the last hour. */
  abstract mergeRepeated(entry: NewAuditEntry): Promise<void>;
  abstract list(scope: AuditScope, page: { readonly limit: number; readonly offset: number }): Promise<AuditPage>;
  abstract after(scope: AuditScope, cursor: AuditCursor | undefined, limit: number): Promise<AuditEntry[]>;
  /** Deletes in steps. */
  abstract deleteBefore(time: Date): Promise<void>;
}

/** Whom a login was for. */
export interface LoginActor {
  readonly actor: NewAuditEntry['actor'];
  /** The first workspace of a user. */
  readonly workspaceId: string | null;
}

/** Replaces the address of a login with the id of its user, or with a keyed hash if there is no such user. */
export abstract class LoginActors {
  abstract actorOf(email: string): Promise<LoginActor>;
}
