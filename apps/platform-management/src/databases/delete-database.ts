import { deleteDatabase, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseRepository } from './database-repository.js';

/** Requests the deletion of a database with all its data. Refuses with `database_not_found`. */
@Handles(deleteDatabase)
export class DeleteDatabase {
  constructor(private readonly databases: DatabaseRepository) {}

  async execute({
    workspace_id,
    database_id,
  }: RequestOf<typeof deleteDatabase>): Promise<ReplyOf<typeof deleteDatabase>> {
    await this.databases.execute(database_id, {
      kind: 'request-deletion',
      workspaceId: workspace_id,
      at: new Date().toISOString(),
    });
    return { id: database_id, deleted: true };
  }
}
