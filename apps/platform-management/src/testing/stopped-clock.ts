import pg from 'pg';

/** Replaces the result of `clock_timestamp()` in a database with a fixed time, in whole milliseconds. */
export class StoppedClock {
  private constructor(private readonly databaseUrl: string) {}

  /** Stops the clock for all connections that are opened afterwards. `now()` is not affected. */
  static async in(databaseUrl: string): Promise<StoppedClock> {
    const clock = new StoppedClock(databaseUrl);
    const database = pg.escapeIdentifier(new URL(databaseUrl).pathname.slice(1));
    await clock.#execute(`
      CREATE TABLE stopped_clock AS SELECT date_trunc('milliseconds', clock_timestamp()) AS at;
      CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT at FROM public.stopped_clock';
      ALTER DATABASE ${database} SET search_path = public, pg_catalog`);
    return clock;
  }

  async advance(seconds: number): Promise<void> {
    await this.#execute(`UPDATE stopped_clock SET at = at + make_interval(secs => ${seconds})`);
  }

  async #execute(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }
}
