import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection, ProjectionTables, ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { apiKeys } from './api-keys/api-keys.projection.js';
import { emailServices } from './email-services/email-services.projection.js';
import type { ReadModel } from './infrastructure/postgres/read-model.js';
import { sendingDomains } from './sending-domains/sending-domains.projection.js';
import { verifiedRecipients } from './verified-recipients/verified-recipients.projection.js';

/** Sets the revisions of services to their last events. */
export const SET_REVISIONS = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('sender_revisions')} (service_id, revision) SELECT * FROM unnest($1::uuid[], $2::text[])
  ON CONFLICT (service_id) DO UPDATE SET revision = excluded.revision`;

const VERSION = 3;

interface Part {
  readonly eventTypes: readonly string[];
  readonly tables: readonly string[];
  readonly apply: (event: RecordedEvent, tx: ProjectionTransaction) => Promise<unknown>;
}

/** The feed guarantees that an event of a listed type has the data of that type. */
const part = <Event extends { readonly type: string; readonly data: object }>(model: ReadModel<Event>): Part => ({
  eventTypes: model.eventTypes,
  tables: model.tables,
  apply: (event, tx) => model.apply({ type: event.type, data: event.data } as Event, tx),
});

const parts = [part(emailServices), part(apiKeys), part(sendingDomains), part(verifiedRecipients)];
const partOf = new Map(parts.flatMap(owner => owner.eventTypes.map(type => [type, owner] as const)));

/**
 * The read models as one projection: sending reads them together, so they always reflect the same event, and a command
 * waits for one checkpoint. Events are few, so they are applied one by one.
 */
export const administration: Projection = {
  name: 'administration',
  version: VERSION,
  tables: [...parts.flatMap(({ tables }) => tables), 'sender_revisions'],
  eventTypes: [...partOf.keys()],

  async apply(events, tx) {
    const revisions = new Map<string, string>();
    for (const event of events) {
      await partOf.get(event.type)?.apply(event, tx);
      const { service_id } = event.data as { service_id: string };
      revisions.set(service_id, `${VERSION}:${event.position.txid}:${event.position.pos}`);
    }
    await tx.query(SET_REVISIONS(tx), [[...revisions.keys()], [...revisions.values()]]);
  },
};
