import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { CredentialVault, type DatabaseCredentials } from '../../ports/databases.js';

/** Credentials in PostgreSQL, the passwords sealed and bound to their rows. */
export class CredentialRows extends CredentialVault {
  constructor(
    private readonly pool: pg.Pool,
    private readonly keys: KeyRing,
  ) {
    super();
  }

  async keep(databaseId: string, { username, password }: DatabaseCredentials): Promise<void> {
    await this.pool.query(
      'INSERT INTO database_credentials (database_id, username, sealed_password) VALUES ($1, $2, $3)',
      [databaseId, username, this.keys.seal(password, rowOf(databaseId))],
    );
  }

  async find(databaseId: string): Promise<DatabaseCredentials | undefined> {
    const { rows } = await this.pool.query<{ username: string; sealed_password: string }>(
      'SELECT username, sealed_password FROM database_credentials WHERE database_id = $1',
      [databaseId],
    );
    const [row] = rows;
    return row && { username: row.username, password: this.keys.open(row.sealed_password, rowOf(databaseId)) };
  }

  async forget(databaseId: string): Promise<void> {
    await this.pool.query('DELETE FROM database_credentials WHERE database_id = $1', [databaseId]);
  }

  async retain(databaseIds: ReadonlySet<string>, before: Date): Promise<void> {
    await this.pool.query(
      'DELETE FROM database_credentials WHERE created_at < $1 AND NOT database_id = ANY ($2::uuid[])',
      [before, [...databaseIds]],
    );
  }
}

const rowOf = (databaseId: string): string => `database_credentials/${databaseId}`;
