import { listDatabaseExtensions, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseExtensions, snakeCased } from '@postern/runtime';
import { databaseNotFound } from './database.js';
import { Databases } from './databases.projection.js';
import { ownedDatabase } from './owned-database.js';
import { databaseNotRunning } from './refusals.js';

/** Lists the extensions that a relational database has, and those that can be enabled in it, by name. */
@Handles(listDatabaseExtensions)
export class ListDatabaseExtensions {
  constructor(
    private readonly directory: Databases,
    private readonly runtime: DatabaseExtensions,
  ) {}

  async execute(request: RequestOf<typeof listDatabaseExtensions>): Promise<ReplyOf<typeof listDatabaseExtensions>> {
    const { id, kind, status } = await ownedDatabase(this.directory, request);
    if (request.project_ids) throw databaseNotFound();
    if (kind === 'key_value') return [];
    const username = await this.directory.usernameOf(id);
    if (status !== 'running' || username === undefined) throw databaseNotRunning();
    const extensions = await this.runtime.extensionsOf(id, username);
    if (!extensions) throw databaseNotRunning();
    return extensions.map(extension => snakeCased(extension));
  }
}
