import {
  DEPLOY_HOOK_CALLED,
  PLATFORM_KEY_USED,
  type ReplyOf,
  type RequestOf,
  recordAuditEntry,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { AuditLog } from './audit-log.js';
import { LoginActors } from './login-actors.js';

/** Actions that anybody with one key or URL can repeat. */
const REPEATABLE: ReadonlySet<string> = new Set([PLATFORM_KEY_USED, DEPLOY_HOOK_CALLED]);

/** Stores one entry of the audit log; it is committed before the reply. */
@Handles(recordAuditEntry)
export class RecordAuditEntry {
  constructor(
    private readonly log: AuditLog,
    private readonly logins: LoginActors,
  ) {}

  async execute({ login, ...entry }: RequestOf<typeof recordAuditEntry>): Promise<ReplyOf<typeof recordAuditEntry>> {
    if (login === undefined) {
      await this.log.record(entry);
      const isAnonymous = entry.outcome === 'refused' && entry.actor.type === 'unknown';
      if (isAnonymous || REPEATABLE.has(entry.action)) await this.log.mergeRepeated(entry);
      return {};
    }
    const { actor, workspaceId } = await this.logins.actorOf(login);
    const attempt = { ...entry, actor, workspace_id: entry.workspace_id ?? workspaceId };
    await this.log.record(attempt);
    if (entry.outcome === 'refused') await this.log.mergeRepeated(attempt);
    return {};
  }
}
