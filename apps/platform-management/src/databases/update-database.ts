import { Refusal, type ReplyOf, type RequestOf, updateDatabase } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseOrders } from './database-orders.js';
import { DatabaseRepository } from './database-repository.js';
import { Databases } from './databases.projection.js';
import { ExternalAddress } from './external-address.js';
import { ownedDatabase } from './owned-database.js';

/**
 * Opens a database to networks outside of the platform, or closes it, and waits up to 5 s until that is in force. Closing is always
 * possible. Refuses with `external_access_not_available` if clients outside could not connect all the same.
 */
@Handles(updateDatabase)
export class UpdateDatabase {
  constructor(
    private readonly directory: Databases,
    private readonly databases: DatabaseRepository,
    private readonly orders: DatabaseOrders,
    private readonly external: ExternalAddress,
  ) {}

  async execute(request: RequestOf<typeof updateDatabase>): Promise<ReplyOf<typeof updateDatabase>> {
    const { workspace_id: workspaceId, database_id, external_access: changes } = request;
    const row = await ownedDatabase(this.directory, request);
    if (changes.enabled) {
      const found = await this.external.hostFor(row);
      if ('refusal' in found) throw new Refusal('external_access_not_available', found.refusal);
    }
    const at = new Date().toISOString();
    await this.databases.execute(database_id, { kind: 'change-external-access', workspaceId, changes, at });
    await this.orders.connect(database_id);
    const changed = await ownedDatabase(this.directory, request);
    return { id: database_id, external_access: await this.external.reply(changed) };
  }
}
