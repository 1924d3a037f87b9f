import { addressSuppressed, type EventOf, suppressionLifted } from '@postern/contracts';
import type { Projection } from '@postern/event-sourcing/postgres';

type SuppressionEvent = EventOf<typeof addressSuppressed | typeof suppressionLifted>;

/** The addresses that each email service should not write to any more. */
export const suppressedAddresses: Projection = {
  name: 'suppressed-addresses',
  version: 1,
  tables: ['suppressed_addresses'],
  eventTypes: [addressSuppressed.type, suppressionLifted.type],

  async apply(recorded, tx) {
    const last = new Map<string, SuppressionEvent>();
    for (const { type, data } of recorded) {
      const event = { type, data } as SuppressionEvent;
      last.set(`${event.data.service_id} ${event.data.address}`, event);
    }
    const events = [...last.values()];
    const listed = events.filter(event => event.type === addressSuppressed.type).map(({ data }) => data);
    const lifted = events.filter(event => event.type === suppressionLifted.type).map(({ data }) => data);
    const table = tx.table('suppressed_addresses');
    if (lifted.length > 0) {
      await tx.query(
        `DELETE FROM ${table} USING jsonb_to_recordset($1::jsonb) AS line (service_id uuid, address text)
         WHERE ${table}.service_id = line.service_id AND ${table}.address = line.address`,
        [JSON.stringify(lifted)],
      );
    }
    if (listed.length > 0) {
      await tx.query(
        `INSERT INTO ${table} (service_id, address, reason, email_id, at)
         SELECT service_id, address, reason, email_id, at FROM jsonb_to_recordset($1::jsonb)
           AS line (service_id uuid, address text, reason text, email_id uuid, at timestamptz)
         ON CONFLICT (service_id, address) DO UPDATE
           SET reason = excluded.reason, email_id = excluded.email_id, at = excluded.at`,
        [JSON.stringify(listed)],
      );
    }
  },
};
