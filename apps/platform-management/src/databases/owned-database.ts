import { databaseNotFound } from './database.js';
import type { Databases } from './databases.projection.js';
import type { DatabaseRow } from './ports.js';

/** The database, if it belongs to the workspace; refuses with `database_not_found` otherwise. */
export async function ownedDatabase(
  directory: Databases,
  { workspace_id, database_id }: { readonly workspace_id: string; readonly database_id: string },
): Promise<DatabaseRow> {
  const row = await directory.find(database_id);
  if (row?.workspaceId !== workspace_id) throw databaseNotFound();
  return row;
}
