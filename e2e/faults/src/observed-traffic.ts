/** The record of a message as POST and GET answer it, as far as it is compared. */
export interface EmailRecord {
  readonly id: string;
  readonly status: string;
  readonly message: string;
}

/** One try of a client to send its message. */
export interface Attempt {
  readonly startedAt: number;
  readonly endedAt: number;
  /** HTTP status; null where no answer came. */
  readonly status: number | null;
  /** The header `Email-Id` of the answer. */
  readonly emailId: string | null;
  readonly record: EmailRecord | null;
  readonly error: string | null;
}

/** A message that a client wanted to send, with all its attempts. */
export interface ClientRequest {
  /** Unique word in subject, body and every recipient address of the message. */
  readonly marker: string;
  readonly recipients: readonly string[];
  readonly keyed: boolean;
  readonly attempts: readonly Attempt[];
}

/** A copy for which the relay answered, or was about to answer, 250 to the final dot. */
export interface TakenCopy {
  readonly at: number;
  /** From the Message-ID header. */
  readonly emailId: string;
  readonly marker: string;
  readonly recipient: string;
}

/** A recipient whom the relay refused with 5xx. */
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
  /** When Postern answered 250; null while it has not. */
  takenAt: number | null;
  /** The 5xx answer that ended its delivery. */
  refusedWith: string | null;
}

/** A pixel that was fetched or a link that was followed. */
export interface Visit {
  readonly kind: 'opened' | 'clicked';
  readonly emailId: string;
  readonly recipient: string;
  readonly at: number;
  /** Whether the gateway answered with the picture or the redirect. */
  readonly answered: boolean;
}

/** A call of the webhook endpoint. */
export interface WebhookCall {
  readonly at: number;
  readonly event: string;
  readonly emailId: string;
  readonly recipient: string;
  readonly machine: boolean;
  /** Why the signature is not accepted; null where it is. */
  readonly unsigned: string | null;
  /** Whether the receiver answered 2xx. */
  readonly accepted: boolean;
}

/** What the world outside Postern saw. */
export interface ObservedTraffic {
  readonly requests: readonly ClientRequest[];
  readonly taken: readonly TakenCopy[];
  readonly refused: readonly RefusedRecipient[];
  readonly reports: readonly Report[];
  readonly visits: readonly Visit[];
  readonly calls: readonly WebhookCall[];
}

/** A message in the dashboard's list. */
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

/** What Postern says in the end. */
export interface Observation {
  /** GET /emails/{id} for every id that is known from outside: its status, and the record where that is 200. */
  readonly records: ReadonlyMap<string, { readonly status: number; readonly record: EmailRecord | null }>;
  readonly listed: readonly ListedEmail[];
  /** The total of the statistics, by name of the count. */
  readonly totals: Readonly<Record<string, number>>;
  /** Deliveries that still wait for their next attempt, as `eventKey` names them. */
  readonly scheduled: ReadonlySet<string>;
}

/** Names an event of the webhook contract for comparison. */
export const eventKey = (event: string, emailId: string, recipient: string): string =>
  `${event} ${emailId} ${recipient}`;
