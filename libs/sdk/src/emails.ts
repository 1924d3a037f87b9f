import type { AcceptedBatchEmail, EmailRecord, RefusedBatchEmail, SendEmailBody } from './api-types.js';
import type { CallOptions, CommandOptions, HttpClient } from './http-client.js';
import { renderReact } from './react-email.js';

type OneOrMore = string | readonly string[];

/** What a message says: HTML, plain text, both, a React component that is rendered to HTML, or a stored template. */
type EmailContent =
  | ({ readonly subject: string; readonly template?: never } & (
      | { readonly message: string; readonly text?: string; readonly react?: never }
      | { readonly message?: never; readonly text: string; readonly react?: never }
      /** An element of React Email. Install `@react-email/render` to use it. */
      | { readonly react: unknown; readonly text?: string; readonly message?: never }
    ))
  | {
      readonly template: NonNullable<SendEmailBody['template']>;
      readonly subject?: never;
      readonly message?: never;
      readonly text?: never;
      readonly react?: never;
    };

/** A message to send. */
export type Email = Omit<
  SendEmailBody,
  'to' | 'cc' | 'bcc' | 'reply_to' | 'subject' | 'message' | 'text' | 'template'
> & {
  /** One recipient or several; at most 50 in `to`, `cc` and `bcc` together. */
  readonly to: OneOrMore;
  readonly cc?: OneOrMore;
  readonly bcc?: OneOrMore;
  readonly reply_to?: OneOrMore;
} & EmailContent;

/** Options of sending a message. */
export type SendOptions = CommandOptions;

/** Sends messages, and gets their records. */
export class Emails {
  readonly #client: HttpClient;
  readonly #credentials: () => Record<string, string>;

  constructor(client: HttpClient, credentials: () => Record<string, string>) {
    this.#client = client;
    this.#credentials = credentials;
  }

  /**
   * Sends one message. Resolves when the relay has accepted or rejected it (`status`), and rejects with an `ApiError` or
   * `ConnectionError`. Retries never send a message twice.
   */
  async send(email: Email, options: SendOptions = {}): Promise<EmailRecord> {
    const body = await bodyOf(email);
    return this.#client.send<EmailRecord>({ method: 'POST', path: '/emails', body, ...options }, this.#credentials());
  }

  /**
   * Sends 1 to 100 messages, each with an outcome of its own, in their order. To retry messages with status 429 or 5xx,
   * repeat the call with the same list and the same `idempotencyKey`, which never sends a message twice.
   */
  async sendBatch(
    emails: readonly Email[],
    options: SendOptions = {},
  ): Promise<(AcceptedBatchEmail | RefusedBatchEmail)[]> {
    const body = await Promise.all(emails.map(bodyOf));
    return this.#client.send({ method: 'POST', path: '/emails/batch', body, ...options }, this.#credentials());
  }

  /** The record of a message of this email service. */
  async get(id: string, { signal }: CallOptions = {}): Promise<EmailRecord> {
    const path = `/emails/${encodeURIComponent(id)}`;
    return this.#client.send<EmailRecord>({ method: 'GET', path, signal }, this.#credentials());
  }
}

/** The body of a request with the message. */
export async function bodyOf({ to, cc, bcc, reply_to, react, ...rest }: Email) {
  return {
    ...rest,
    to: listOf(to),
    ...(cc === undefined ? {} : { cc: listOf(cc) }),
    ...(bcc === undefined ? {} : { bcc: listOf(bcc) }),
    ...(reply_to === undefined ? {} : { reply_to: listOf(reply_to) }),
    ...(react === undefined ? {} : { message: await renderReact(react) }),
  };
}

const listOf = (value: OneOrMore): readonly string[] => (typeof value === 'string' ? [value] : value);
