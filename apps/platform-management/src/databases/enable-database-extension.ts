import { enableDatabaseExtension, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseExtensions, snakeCased } from '@postern/runtime';
import { Databases } from './databases.projection.js';
import { ownedDatabase } from './owned-database.js';
import { databaseNotRunning } from './refusals.js';

/** Enables an extension in a relational database. Repeating it changes nothing. */
@Handles(enableDatabaseExtension)
export class EnableDatabaseExtension {
  constructor(
    private readonly directory: Databases,
    private readonly runtime: DatabaseExtensions,
  ) {}

  async execute(request: RequestOf<typeof enableDatabaseExtension>): Promise<ReplyOf<typeof enableDatabaseExtension>> {
    const { name } = request;
    const { id, kind, status } = await ownedDatabase(this.directory, request);
    if (kind === 'key_value') throw unavailable('a key-value store has no extensions');
    const username = await this.directory.usernameOf(id);
    if (status !== 'running' || username === undefined) throw databaseNotRunning();
    const problem = await this.runtime.enableExtension(id, username, name);
    if (problem !== undefined) throw unavailable(problem);
    const enabled = (await this.runtime.extensionsOf(id, username))?.find(extension => extension.name === name);
    if (!enabled) throw databaseNotRunning();
    return snakeCased(enabled);
  }
}

const unavailable = (reason: string): Refusal => new Refusal('extension_not_available', reason);
