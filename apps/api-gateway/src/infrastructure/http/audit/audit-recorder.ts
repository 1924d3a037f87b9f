import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type AuditRecord, recordAuditEntry } from '@postern/contracts';
import { type RequestContext, runInContext } from '@postern/messaging';
import { HOST, type Host } from '@postern/service-host';
import { ServiceClient } from '../../service-client/ports.js';

/** How long a response waits for its outcome to be stored. */
const OUTCOME_WAIT_MS = 2_000;
const RETRY_AFTER_MS = [1_000, 2_000, 4_000, 8_000, 16_000];
const MAX_RETRIED = 1_000;

/** Stores entries of the audit log in platform-management. */
@Injectable()
export class AuditRecorder {
  #retried = 0;

  constructor(
    private readonly services: ServiceClient,
    @Inject(HOST) private readonly host: Host,
  ) {}

  /** Stores that an action starts. @throws if this fails; then the action must not start. */
  async begin(entry: AuditRecord, context: RequestContext): Promise<void> {
    await this.services.request(recordAuditEntry, entry, context);
  }

  /** Stores the outcome. Never rejects: on failure it retries, and the entry stays `attempted` until then. */
  async complete(entry: AuditRecord, context: RequestContext): Promise<void> {
    try {
      await this.services.request(recordAuditEntry, entry, { ...context, deadlineMs: OUTCOME_WAIT_MS });
    } catch {
      if (this.#retried < MAX_RETRIED) void this.#retry(entry, context);
    }
  }

  async #retry(entry: AuditRecord, context: RequestContext): Promise<void> {
    this.#retried += 1;
    let cause: unknown;
    try {
      for (const waitMs of RETRY_AFTER_MS) {
        await pause(waitMs, undefined, { ref: false });
        try {
          await this.services.request(recordAuditEntry, entry, context);
          return;
        } catch (error) {
          cause = error;
        }
      }
      const { entry_id: entryId, action, outcome, code } = entry;
      runInContext(context, () =>
        this.host.log.error({ err: cause, entryId, action, outcome, code }, 'The outcome of an action is not stored'),
      );
    } finally {
      this.#retried -= 1;
    }
  }
}
