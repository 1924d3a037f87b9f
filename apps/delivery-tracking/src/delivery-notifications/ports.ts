import type { DomainReportOutcome } from '@postern/contracts';
import type { OtherMail } from '@postern/mail';
import type { SignalRefusal } from '../tracked-emails/signal.js';

/** A message that the bounce listener received. */
export interface ReceivedReport {
  /** The envelope sender; empty for the null sender. */
  readonly sender: string;
  /** The local parts of the recipients, at the bounce domain or, for return paths, at a customer's domain. */
  readonly localParts: readonly string[];
  readonly raw: Uint8Array;
  /** The address of the client that delivered it. */
  readonly client: string;
}

/** Why a report had no effect; also a metric label. */
export type IgnoredReportCause =
  | 'forged_return_path'
  | 'forged_copy_id'
  | 'sender_not_null'
  | 'not_a_complaint'
  | 'complaint_without_evidence'
  | 'unsigned_domain_report'
  | 'unreadable_domain_report'
  | 'unknown_message'
  | Exclude<DomainReportOutcome, 'stored'>
  | OtherMail
  | SignalRefusal;
