import { Injectable } from '@nestjs/common';
import { type getTrackedEmail, type listEmails, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { EventStore } from '@postern/event-sourcing';
import { Database } from '@postern/service-host';
import { type TrackedEmailEvent, trackedEmailStream } from '../tracked-emails/tracked-email-events.js';
import { timelineOf } from './email-timeline.js';
import { applyToRow, shownEmail, type TrackedEmailRow } from './tracked-email-row.js';
import { ROW_COLUMNS } from './tracked-emails.projection.js';

const MATCHES = `service_id = $1
  AND ($2::text IS NULL OR search LIKE $2)
  AND ($3::text IS NULL OR states @> ARRAY[$3])
  AND ($4::timestamptz IS NULL OR accepted_at >= $4)
  AND ($5::timestamptz IS NULL OR accepted_at < $5)
  AND ($6::text IS NULL OR result = $6)`;

/** What can be asked of the tracked emails. */
@Injectable()
export class EmailQueries {
  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
  ) {}

  /** Newest first. */
  async list(request: RequestOf<typeof listEmails>): Promise<ReplyOf<typeof listEmails>> {
    const { service_id, search, state, result, from, to, limit, offset } = request;
    const pattern = search?.trim()
      ? `%${search
          .trim()
          .toLowerCase()
          .replace(/[\\%_]/g, '\\$&')}%`
      : null;
    const filter = [service_id, pattern, state ?? null, from ?? null, to ?? null, result ?? null];
    const [page, count] = await Promise.all([
      this.database.pool.query<TrackedEmailRow>(
        `SELECT ${ROW_COLUMNS} FROM tracked_emails WHERE ${MATCHES}
         ORDER BY tracked_emails.accepted_at DESC, id DESC LIMIT $7 OFFSET $8`,
        [...filter, limit, offset],
      ),
      this.database.pool.query<{ total: number }>(
        `SELECT count(*)::int AS total FROM tracked_emails WHERE ${MATCHES}`,
        filter,
      ),
    ]);
    return { items: page.rows.map(shownEmail), total: count.rows[0]?.total ?? 0, limit, offset };
  }

  /** From the event log itself, so that it is never behind. Refuses `email_not_found`, for another service's too. */
  async get({ service_id, email_id }: RequestOf<typeof getTrackedEmail>): Promise<ReplyOf<typeof getTrackedEmail>> {
    const recorded = await this.store.readStream(trackedEmailStream(email_id.toLowerCase()));
    const events = recorded.map(({ type, data }) => ({ type, data }) as TrackedEmailEvent);
    const row = events.reduce<TrackedEmailRow | undefined>(applyToRow, undefined);
    if (row?.service_id !== service_id) throw new Refusal('email_not_found', `there is no email ${email_id}`);
    return { ...shownEmail(row), timeline: timelineOf(events) };
  }
}
