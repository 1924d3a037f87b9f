import { exportEmails, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Database, parameterized } from '@postern/service-host';
import { replyOf, type TrackedEmailRow } from '../tracked-emails/tracked-email-row.js';
import { type EmailCursor, emailListOf } from './email-list.js';
import { EMAILS_PAGE, EXAMINED_UP_TO } from './list-emails.sql.js';

const EXPORTED_AT_ONCE = 500;
const POSITION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Messages with the state of every recipient, newest first, in steps that each read a bounded number of them. */
@Handles(exportEmails)
export class ExportEmails {
  constructor(private readonly database: Database) {}

  async execute({ after, ...filter }: RequestOf<typeof exportEmails>): Promise<ReplyOf<typeof exportEmails>> {
    const cursor = after === null ? undefined : positionOf(after);
    const { list, values } = emailListOf({ ...filter, limit: EXPORTED_AT_ONCE, offset: 0 }, cursor);
    const { pool } = this.database;
    const { rows } = await pool.query<TrackedEmailRow>(parameterized(EMAILS_PAGE(list), values));
    return { emails: rows.map(replyOf), after: await next() };

    async function next(): Promise<string | null> {
      const last = rows.length === EXPORTED_AT_ONCE ? rows.at(-1) : undefined;
      if (last) return `${last.accepted_at} ${last.id}`;
      if (list.rest === '') return null;
      const examined = await pool.query<{ at: string; id: string }>(parameterized(EXAMINED_UP_TO(list), values));
      return examined.rows[0] ? `${examined.rows[0].at} ${examined.rows[0].id}` : null;
    }
  }
}

const positionOf = (position: string): EmailCursor => {
  const [, at, id] = POSITION.exec(position) ?? [];
  if (at === undefined || id === undefined) throw new Refusal('invalid_input', 'after: this is not a position');
  return { side: 'after', at, id };
};
