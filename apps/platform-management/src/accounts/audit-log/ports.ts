import type { AuditEntry, auditLogFilter, recordAuditEntry } from '@postern/contracts';
import type { z } from 'zod';

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

/** Entries of the audit log, newest first. */
export abstract class AuditLog {
  /** Stores the entry, or updates the outcome of the stored entry unless it is final. Committed when it resolves. */
  abstract record(entry: NewAuditEntry): Promise<void>;
  /** Counts a refusal in an earlier entry if there are many similar ones in the last hour. */
  abstract mergeRepeated(entry: NewAuditEntry): Promise<void>;
  abstract list(scope: AuditScope, page: { readonly limit: number; readonly offset: number }): Promise<AuditPage>;
  abstract after(scope: AuditScope, cursor: AuditCursor | undefined, limit: number): Promise<AuditEntry[]>;
}

/** The account of a login. */
export interface LoginActor {
  readonly actor: NewAuditEntry['actor'];
  /** The first workspace of a user. */
  readonly workspaceId: string | null;
}

/** Replaces the address of a login with the id of its user, or with a keyed hash for an unknown address. */
export abstract class LoginActors {
  abstract actorOf(email: string): Promise<LoginActor>;
}
