import { Injectable } from '@nestjs/common';
import { getTrackedEmail, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { EventStore } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { type TrackedEmailEvent, trackedEmailStream } from '../tracked-emails/tracked-email-events.js';
import {
  applyToRow,
  eventsOfRow,
  type FollowedRow,
  replyOf,
  type TrackedEmailRow,
} from '../tracked-emails/tracked-email-row.js';
import { READ_FOLLOWED } from '../tracked-emails/tracked-emails.sql.js';
import { timelineOf } from './email-timeline.js';

/** One tracked email with its timeline. */
@Injectable()
export class TrackedEmails {
  constructor(
    private readonly store: EventStore,
    private readonly database: Database,
  ) {}

  /** Reads what email-send said and the events, so it is always up to date. Refuses `email_not_found`, also for other services' emails. */
  @Handles(getTrackedEmail)
  async get({ service_id, email_id }: RequestOf<typeof getTrackedEmail>): Promise<ReplyOf<typeof getTrackedEmail>> {
    const events = await this.#eventsOf(email_id.toLowerCase());
    const row = events.reduce<TrackedEmailRow | undefined>(applyToRow, undefined);
    if (row?.service_id !== service_id) throw new Refusal('email_not_found', `there is no email ${email_id}`);
    return { ...replyOf(row), timeline: timelineOf(events) };
  }

  async #eventsOf(emailId: string): Promise<readonly TrackedEmailEvent[]> {
    const [{ rows }, recorded] = await Promise.all([
      this.database.pool.query<FollowedRow>(READ_FOLLOWED, [[emailId]]),
      this.store.readStream(trackedEmailStream(emailId)),
    ]);
    const events = recorded.map(({ type, data }) => ({ type, data }) as TrackedEmailEvent);
    return rows[0] ? [...eventsOfRow(rows[0]), ...events] : [];
  }
}
