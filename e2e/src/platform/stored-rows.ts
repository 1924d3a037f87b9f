import pg from 'pg';

/** History that outlives its subject; creations of databases are kept for a day, because a quota limits them. */
const HISTORY = ['event_store.events', 'public.audit_entries', 'public.database_creations', 'public.logged_requests'];

/** Reads the tables of a service's database. */
export class StoredRows {
  private constructor(private readonly client: pg.Client) {}

  static async open(url: string): Promise<StoredRows> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return new StoredRows(client);
  }

  /** The number of rows per table that contain one of these ids; tables without such rows are left out. */
  async naming(ids: readonly string[]): Promise<Readonly<Record<string, number>>> {
    const { rows } = await this.client.query<{ name: string }>(
      `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
       WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of rows.filter(row => !HISTORY.includes(row.name))) {
      const found = await this.client.query(`SELECT 1 FROM ${name} AS t WHERE t::text ~ $1`, [ids.join('|')]);
      if (found.rowCount) counts[name] = found.rowCount;
    }
    return counts;
  }

  /** The ids of all encrypted values. */
  async sealedValues(): Promise<readonly string[]> {
    const { rows } = await this.client.query<{ id: string }>('SELECT id FROM sealed_values ORDER BY id');
    return rows.map(({ id }) => id);
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
