import type { ReportAddress } from '../report-address.js';

/** The report of a notification about one recipient. */
export interface RecipientReport {
  readonly action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  readonly finalRecipient?: ReportAddress;
  readonly originalRecipient?: ReportAddress;
  /** As given, such as `5.1.1`; absent if the notification has none. */
  readonly status?: string;
  /** The reply of the last server, otherwise the text of the notification; one line. */
  readonly diagnostic?: string;
  readonly remoteMta?: string;
  /** The text of the notification about this recipient, if the diagnostic may be incomplete. */
  readonly words?: string;
}

/** The message that a report is about. */
export interface ReportedMessage {
  /** Without angle brackets. */
  readonly messageId?: string;
  /** The values of `X-Postern-Id` in the returned message; not verified. */
  readonly copyIds?: readonly string[];
}

/** A parsed mail to a return path or a feedback address. */
export type InboundMail =
  | {
      readonly kind: 'delivery_notification';
      /** `status_fields` (RFC 3464), or `text`: recognized by its text. */
      readonly form: 'status_fields' | 'text';
      readonly envelopeId?: string;
      readonly reportingMta?: string;
      readonly perRecipient: readonly RecipientReport[];
      readonly reported: ReportedMessage;
    }
  | {
      readonly kind: 'feedback_report';
      /**
       * `arf` (RFC 5965), or `jmrp`: the format of Microsoft, the original message with a header that names the recipient.
       */
      readonly form: 'arf' | 'jmrp';
      /** The only author of the report, normalized; absent if there is none, or more than one. */
      readonly from?: string;
      /** Lower case: `abuse`, `fraud`, `not-spam`, … */
      readonly feedbackType: string;
      readonly userAgent?: string;
      readonly sourceIp?: string;
      readonly originalMailFrom?: string;
      readonly originalRecipients: readonly string[];
      readonly reported: ReportedMessage;
    }
  | {
      readonly kind: 'other';
      readonly why: OtherMail;
      /** Its subject and text, without control characters, at most 2,000 characters. */
      readonly text: string;
    };

/** The kind of a mail that is not a report. */
export type OtherMail = 'auto_reply' | 'mail_loop' | 'bulk' | 'unreadable_report' | 'no_report';

/** Limits on the part of a mail that is read; the rest counts as missing. */
export interface InboundLimits {
  readonly maxBytes: number;
  readonly maxRecipients: number;
}
