import type { OtherMail } from '@postern/mail';
import type { SignalRefusal } from '../tracked-emails/signal.js';

/** A message that the bounce listener received. */
export interface ReceivedReport {
  /** The envelope sender; empty for the null sender. */
  readonly sender: string;
  /** The local parts of the recipients, all at the bounce domain. */
  readonly localParts: readonly string[];
  readonly raw: Uint8Array;
  /** The address of the client that delivered it. */
  readonly client: string;
}

/** Tells complaints of mailbox providers from those that anybody with a copy of a message could write. */
export abstract class ComplaintEvidence {
  /** `from` is the only author of the report. @throws when it cannot be decided now. */
  abstract isGenuine(report: ReceivedReport, from: string | undefined): Promise<boolean>;
}

/** Why a report had no effect; also a metric label. */
export type IgnoredReportCause =
  | 'forged_return_path'
  | 'sender_not_null'
  | 'not_a_complaint'
  | 'complaint_without_evidence'
  | OtherMail
  | SignalRefusal;

/** The metrics of inbound mail. */
export abstract class ReportMetrics {
  abstract ignored(cause: IgnoredReportCause): void;
  /** Counts mail rejected during the SMTP conversation. */
  abstract refusedMail(cause: string): void;
}

/** Tells an operator's return path probe that its mail has arrived. */
export abstract class ReturnPathProbes {
  abstract arrived(probeId: string): void;
}
