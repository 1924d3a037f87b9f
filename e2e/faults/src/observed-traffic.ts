/** The compared fields of the record that POST and GET return. */
export interface EmailRecord {
  readonly id: string;
  readonly status: string;
  readonly message: string;
}

/** One attempt of a client to send its message. */
export interface Attempt {
  readonly startedAt: number;
  readonly endedAt: number;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** The header `Email-Id` of the response. */
  readonly emailId: string | null;
  readonly record: EmailRecord | null;
  readonly error: string | null;
}

/** A message that a client tried to send, with all attempts. */
export interface ClientRequest {
  /** Unique word in subject, body and every recipient address of the message. */
  readonly marker: string;
  readonly recipients: readonly string[];
  readonly keyed: boolean;
  readonly attempts: readonly Attempt[];
}

/** A copy for which the relay replied 250 to the final dot, or was about to. */
export interface TakenCopy {
  readonly at: number;
  /** From the Message-ID header. */
  readonly emailId: string;
  readonly marker: string;
  readonly recipient: string;
}

/** A recipient that the relay refused with 5xx. */
export interface RefusedRecipient {
  readonly at: number;
  readonly recipient: string;
}

export type ReportKind = 'delivered' | 'delayed' | 'bounced_hard' | 'bounced_soft' | 'complained';

/** A notification or complaint that the relay sent about a copy. */
export interface Report {
  readonly kind: ReportKind;
  readonly emailId: string;
  readonly recipient: string;
  /** When Postern replied 250; null if it has not. */
  takenAt: number | null;
  /** The 5xx reply that ended the delivery. */
  refusedWith: string | null;
}

/** A fetched pixel or a followed link. */
export interface Visit {
  readonly kind: 'opened' | 'clicked';
  readonly emailId: string;
  readonly recipient: string;
  readonly at: number;
  /** Whether the gateway responded with the image or the redirect. */
  readonly answered: boolean;
}

/** A call of the webhook endpoint. */
export interface WebhookCall {
  readonly at: number;
  readonly event: string;
  readonly emailId: string;
  readonly recipient: string;
  readonly machine: boolean;
  /** Why the signature is not valid; null if it is valid. */
  readonly unsigned: string | null;
  /** Whether the receiver responded 2xx. */
  readonly accepted: boolean;
}

/** A database that was replaced by a backup: what its service recorded between the two times is lost. */
export interface RestoredDatabase {
  readonly service: string;
  readonly from: number;
  readonly to: number;
}

/** What systems outside Postern observed. */
export interface ObservedTraffic {
  readonly requests: readonly ClientRequest[];
  readonly taken: readonly TakenCopy[];
  readonly refused: readonly RefusedRecipient[];
  readonly reports: readonly Report[];
  readonly visits: readonly Visit[];
  readonly calls: readonly WebhookCall[];
  readonly restored: readonly RestoredDatabase[];
}

/** An email in the dashboard's list. */
export interface ListedEmail {
  readonly id: string;
  readonly status: string;
  readonly subject: string;
  readonly recipients: readonly {
    readonly address: string;
    readonly state: string;
    readonly reason: string | null;
    readonly opened_at: string | null;
    readonly clicked_at: string | null;
  }[];
}

/** What Postern reports at the end of the run. */
export interface Observation {
  /** GET /emails/{id} for every id known from outside: the status, and the record if it is 200. */
  readonly records: ReadonlyMap<string, { readonly status: number; readonly record: EmailRecord | null }>;
  readonly listed: readonly ListedEmail[];
  /** The totals of the statistics, by count name. */
  readonly totals: Readonly<Record<string, number>>;
  /** Messages were left out that the totals contain. */
  readonly isPart?: boolean;
  /** Deliveries that wait for their next attempt, by `eventKey`. */
  readonly scheduled: ReadonlySet<string>;
}

/** Identifies an event of the webhook contract in comparisons. */
export const eventKey = (event: string, emailId: string, recipient: string): string =>
  `${event} ${emailId} ${recipient}`;
