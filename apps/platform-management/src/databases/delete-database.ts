import { Injectable } from '@nestjs/common';
import type { deleteDatabase, ReplyOf, RequestOf } from '@postern/contracts';
import { DatabaseRepository } from './ports.js';

/** Orders the end of a database with all its data. Refuses with `database_not_found`. */
@Injectable()
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
