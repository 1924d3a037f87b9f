import { Injectable } from '@nestjs/common';
import { addressKey } from '@postern/mail';
import { KeyRing } from '@postern/service-host';
import type { EmailRequestBody } from '../emails/email-draft.js';
import { scheduledEmailRow, scheduledSummaryRow } from './scheduled-email-rows.js';

/** What the dashboard shows of a scheduled message. */
export interface ScheduledSummary {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
}

const PURPOSE = 'scheduled-recipient';

/** Encrypts scheduled messages, and hashes their recipients so that an erasure finds them. */
@Injectable()
export class ScheduledEmailSeal {
  constructor(private readonly keys: KeyRing) {}

  seal(id: string, email: EmailRequestBody): { readonly sealed: string; readonly summary: string } {
    const { from, to, subject } = email;
    const summary: ScheduledSummary = { from, to, subject };
    return {
      sealed: this.keys.seal(JSON.stringify(email), scheduledEmailRow(id)),
      summary: this.keys.seal(JSON.stringify(summary), scheduledSummaryRow(id)),
    };
  }

  /** @throws if the key is not configured or the value was changed. */
  open(id: string, sealed: string): EmailRequestBody {
    return JSON.parse(this.keys.open(sealed, scheduledEmailRow(id))) as EmailRequestBody;
  }

  /** Undefined if there is none, or its key is not configured any more. */
  openSummary(id: string, sealed: string | null): ScheduledSummary | undefined {
    if (sealed === null) return undefined;
    try {
      return JSON.parse(this.keys.open(sealed, scheduledSummaryRow(id))) as ScheduledSummary;
    } catch {
      return undefined;
    }
  }

  hashOf(address: string): string {
    return this.hashesOf(address)[0];
  }

  /** Under all keys. */
  hashesOf(address: string): readonly [string, ...string[]] {
    return this.keys.keyedHashes(addressKey(address), PURPOSE);
  }
}
