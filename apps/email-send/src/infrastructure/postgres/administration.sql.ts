import type { ProjectionTables } from '@postern/event-sourcing/postgres';

/** Sets the revisions of services to their last events. */
export const SET_REVISIONS = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('sender_revisions')} (service_id, revision) SELECT * FROM unnest($1::uuid[], $2::text[])
  ON CONFLICT (service_id) DO UPDATE SET revision = excluded.revision`;
