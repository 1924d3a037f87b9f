import type { ListScheduledEmailsReply, ScheduledEmail } from './api-types.js';
import { bodyOf, type Email, type SendOptions } from './emails.js';
import type { CallOptions, HttpClient } from './http-client.js';

/** A time: a date, or ISO 8601 text with an offset, such as `2030-01-31T09:00:00Z`. */
type Time = Date | string;

export interface ScheduledEmailsFilter extends CallOptions {
  readonly state?: ScheduledEmail['state'];
  /** At most 100; 20 by default. */
  readonly limit?: number;
  readonly offset?: number;
}

/** Messages that are sent at a later time. */
export class ScheduledEmails {
  readonly #client: HttpClient;
  readonly #credentials: () => Record<string, string>;

  constructor(client: HttpClient, credentials: () => Record<string, string>) {
    this.#client = client;
    this.#credentials = credentials;
  }

  /** Schedules a message for a time between 1 minute and 30 days from now. Retries never schedule it twice. */
  async create(sendAt: Time, email: Email, options: SendOptions = {}): Promise<ScheduledEmail> {
    const body = { send_at: textOf(sendAt), email: await bodyOf(email) };
    return this.#client.send({ method: 'POST', path: '/scheduled-emails', body, ...options }, this.#credentials());
  }

  /** A page of the scheduled messages, the latest times first. */
  async list({ signal, state, limit, offset }: ScheduledEmailsFilter = {}): Promise<ListScheduledEmailsReply> {
    const query = { state, limit, offset };
    return this.#client.send({ method: 'GET', path: '/scheduled-emails', query, signal }, this.#credentials());
  }

  async get(id: string, { signal }: CallOptions = {}): Promise<ScheduledEmail> {
    return this.#client.send({ method: 'GET', path: pathOf(id), signal }, this.#credentials());
  }

  /** Changes the time of a message that waits. */
  async reschedule(id: string, sendAt: Time, options: SendOptions = {}): Promise<ScheduledEmail> {
    const body = { send_at: textOf(sendAt) };
    return this.#client.send({ method: 'PATCH', path: pathOf(id), body, ...options }, this.#credentials());
  }

  /** Cancels a message that waits. */
  async cancel(id: string, options: SendOptions = {}): Promise<ScheduledEmail> {
    return this.#client.send({ method: 'DELETE', path: pathOf(id), ...options }, this.#credentials());
  }
}

const pathOf = (id: string): string => `/scheduled-emails/${encodeURIComponent(id)}`;

const textOf = (time: Time): string => (typeof time === 'string' ? time : time.toISOString());
