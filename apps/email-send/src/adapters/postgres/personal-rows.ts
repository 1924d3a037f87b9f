import { PersonalData, type PersonalErasure } from '@postern/service-host';
import type pg from 'pg';

/** What the sending path keeps of a recipient: answers to clients, bodies, copies to try again, suppression. */
export class PersonalRows extends PersonalData {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async erase({ address, redact, events }: PersonalErasure): Promise<Record<string, number>> {
    const emailIds = [...new Set(events.flatMap(({ data }) => ('email_id' in data ? [String(data.email_id)] : [])))];
    return {
      deferred_copies: await this.#giveUpCopies(address, events),
      emails: await this.#redactRecords(emailIds, redact),
      email_bodies: await this.#deleteBodies(emailIds),
      suppressed_addresses: await this.#forgetSuppression(address),
    };
  }

  /** A copy that waits for another try would go to the address that stands there now. */
  async #giveUpCopies(address: string, events: PersonalErasure['events']): Promise<number> {
    const copies = events.flatMap(({ data }) => {
      const { email_id, recipients = [] } = data as {
        email_id: string;
        recipients?: { index: number; address: string }[];
      };
      return recipients
        .filter(recipient => recipient.address.toLowerCase() === address.toLowerCase())
        .map(({ index }) => ({ email_id, index }));
    });
    const { rowCount } = await this.pool.query(
      `DELETE FROM deferred_copies USING unnest($1::uuid[], $2::smallint[]) AS gone (email_id, index)
       WHERE deferred_copies.email_id = gone.email_id AND recipient_index = gone.index`,
      [copies.map(({ email_id }) => email_id), copies.map(({ index }) => index)],
    );
    return rowCount ?? 0;
  }

  async #redactRecords(emailIds: readonly string[], redact: PersonalErasure['redact']): Promise<number> {
    const { rows } = await this.pool.query<{ id: string; record: string }>(
      'SELECT id, record FROM emails WHERE id = ANY ($1::uuid[])',
      [emailIds],
    );
    const changed = rows.flatMap(({ id, record }) => {
      const redacted = redact(JSON.parse(record));
      return redacted === undefined ? [] : [{ id, record: JSON.stringify(redacted) }];
    });
    await this.pool.query(
      `UPDATE emails SET record = fresh.record FROM unnest($1::uuid[], $2::text[]) AS fresh (id, record)
       WHERE emails.id = fresh.id`,
      [changed.map(({ id }) => id), changed.map(({ record }) => record)],
    );
    return changed.length;
  }

  /** Bodies of messages that are under way, or that others still wait for, go when they would have gone anyway. */
  async #deleteBodies(emailIds: readonly string[]): Promise<number> {
    const { rowCount } = await this.pool.query(
      `DELETE FROM email_bodies WHERE email_id = ANY ($1::uuid[])
         AND EXISTS (SELECT FROM emails e WHERE e.id = email_bodies.email_id)
         AND NOT EXISTS (SELECT FROM deferred_copies d WHERE d.email_id = email_bodies.email_id)`,
      [emailIds],
    );
    return rowCount ?? 0;
  }

  async #forgetSuppression(address: string): Promise<number> {
    const { rowCount } = await this.pool.query('DELETE FROM suppressed_addresses WHERE address = lower($1)', [address]);
    return rowCount ?? 0;
  }
}
