import type { ReportAddress } from '../report-address.js';

/** What a notification says of one recipient. */
export interface RecipientReport {
  readonly action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  readonly finalRecipient?: ReportAddress;
  readonly originalRecipient?: ReportAddress;
  /** As given, such as `5.1.1`; absent where the notification has none, never invented. */
  readonly status?: string;
  /** The last server's reply, or else the words of the notification; one line. */
  readonly diagnostic?: string;
  readonly remoteMta?: string;
  /** The words of the notification about this recipient, where the diagnostic may not be all it says. */
  readonly words?: string;
}

/** What is known of the message a report is about. */
export interface ReportedMessage {
  /** Without angle brackets. */
  readonly messageId?: string;
  /** The values of `X-Postern-Id` in the returned message; not verified. */
  readonly copyIds?: readonly string[];
}

/** Mail that came to a return path or a feedback address, read. */
export type InboundMail =
  | {
      readonly kind: 'delivery_notification';
      /** `status_fields` (RFC 3464), or `text`: read from its words. */
      readonly form: 'status_fields' | 'text';
      readonly envelopeId?: string;
      readonly reportingMta?: string;
      readonly perRecipient: readonly RecipientReport[];
      readonly reported: ReportedMessage;
    }
  | {
      readonly kind: 'feedback_report';
      /** `arf` (RFC 5965), or `jmrp`: Microsoft's form, the original message with a header that names the recipient. */
      readonly form: 'arf' | 'jmrp';
      /** The only author of the report, normalized; absent where there is none, or more than one. */
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
      /** Its subject and words, without control characters, at most 2,000 characters. */
      readonly text: string;
    };

/** Why mail is no report: what it looks like instead. */
export type OtherMail = 'auto_reply' | 'mail_loop' | 'bulk' | 'unreadable_report' | 'no_report';

/** How much of a mail is looked at; what is beyond counts as missing. */
export interface InboundLimits {
  readonly maxBytes: number;
  readonly maxRecipients: number;
}
