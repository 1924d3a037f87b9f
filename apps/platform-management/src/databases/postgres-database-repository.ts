import type { CommandTransactions } from '@postern/event-sourcing/postgres';
import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import {
  type DatabaseCommand,
  type DatabaseCreation,
  type DatabaseEvent,
  database,
  databaseStream,
} from './database.js';
import { type DatabaseCredentials, DatabaseRepository } from './ports.js';

/** After these nobody needs the credentials any more. */
const LAST_EVENTS: ReadonlySet<DatabaseEvent['type']> = new Set([
  'platform-management.database-deleted.v1',
  'platform-management.database-provisioning-failed.v1',
]);

/** Databases in PostgreSQL: events and credentials in one transaction, the passwords sealed and bound to their rows. */
export class PostgresDatabaseRepository extends DatabaseRepository {
  constructor(
    private readonly transactions: CommandTransactions,
    private readonly pool: pg.Pool,
    private readonly keys: KeyRing,
  ) {
    super();
  }

  override async create(created: DatabaseCreation, { username, password }: DatabaseCredentials): Promise<void> {
    const { database_id } = created;
    const sealed = this.keys.seal(password, rowOf(database_id));
    await this.#execute(database_id, { kind: 'create', as: created }, client =>
      client.query('INSERT INTO database_credentials (database_id, username, sealed_password) VALUES ($1, $2, $3)', [
        database_id,
        username,
        sealed,
      ]),
    );
  }

  override async execute(databaseId: string, command: DatabaseCommand): Promise<void> {
    await this.#execute(databaseId, command, async (client, events) => {
      if (events.some(({ type }) => LAST_EVENTS.has(type)))
        await client.query('DELETE FROM database_credentials WHERE database_id = $1', [databaseId]);
    });
  }

  override async credentialsOf(databaseId: string): Promise<DatabaseCredentials | undefined> {
    const { rows } = await this.pool.query<{ username: string; sealed_password: string }>(
      'SELECT username, sealed_password FROM database_credentials WHERE database_id = $1',
      [databaseId],
    );
    const [row] = rows;
    return row && { username: row.username, password: this.keys.open(row.sealed_password, rowOf(databaseId)) };
  }

  override async retainCredentials(databaseIds: ReadonlySet<string>, before: Date): Promise<void> {
    await this.pool.query(
      'DELETE FROM database_credentials WHERE created_at < $1 AND NOT database_id = ANY ($2::uuid[])',
      [before, [...databaseIds]],
    );
  }

  async #execute(
    databaseId: string,
    command: DatabaseCommand,
    write: (client: pg.ClientBase, events: readonly DatabaseEvent[]) => Promise<unknown>,
  ): Promise<void> {
    await this.transactions.execute({ decider: database, streamId: databaseStream(databaseId), command, write });
  }
}

const rowOf = (databaseId: string): string => `database_credentials/${databaseId}`;
