import type pg from 'pg';
import { FIND_DELETION } from './deleted-streams.sql.js';

const DELETIONS = [
  'platform-management.workspace-deleted.v1',
  'platform-management.project-deleted.v1',
  'platform-management.web-service-deletion-requested.v1',
  'platform-management.database-deletion-requested.v1',
] as const;

/**
 * Whether the workspace or resource of the stream was deleted. Reads the events, because read models may be behind;
 * exact only while the caller holds the lock of the stream.
 */
export async function isDeleted(client: Pick<pg.Pool, 'query'>, streamId: string): Promise<boolean> {
  const { rowCount } = await client.query(FIND_DELETION, [streamId, DELETIONS]);
  return rowCount !== 0;
}
