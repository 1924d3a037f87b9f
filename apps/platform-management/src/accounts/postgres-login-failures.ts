import { inSteps, inTransaction } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import type { LoginFailures, LoginLimits } from './ports.js';

const COUNT = `
  INSERT INTO login_failures (email, ip)
  SELECT $1, $2
  WHERE (SELECT count(*) FROM login_failures WHERE email = $1 AND at > now() - make_interval(secs => $3)) < $4
    AND (SELECT count(*) FROM login_failures WHERE ip = $2 AND ip <> '' AND at > now() - make_interval(secs => $3)) < $5`;

/** Failed logins as plain rows; the locks make attempts of one account, and of one address, queue up to be counted. */
export class LoginFailureRows implements LoginFailures {
  constructor(private readonly pool: pg.Pool) {}

  begin(email: string, ip: string, limits: LoginLimits): Promise<boolean> {
    return inTransaction(this.pool, async client => {
      await client.query(
        `SELECT pg_advisory_xact_lock(key)
         FROM (SELECT hashtextextended('login ' || who, 0) AS key FROM unnest($1::text[]) AS who ORDER BY 1) AS keys`,
        [[email, ip]],
      );
      const { windowS, perAccount, perAddress } = limits;
      const { rowCount } = await client.query(COUNT, [email, ip, windowS, perAccount, perAddress]);
      return rowCount === 1;
    });
  }

  async forgive(email: string): Promise<void> {
    await this.pool.query('DELETE FROM login_failures WHERE email = $1', [email]);
  }

  async purgeOlderThan(windowS: number): Promise<void> {
    await inSteps(
      this.pool,
      `DELETE FROM login_failures WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM login_failures WHERE at < now() - make_interval(secs => $1) LIMIT $2))`,
      [windowS],
    );
  }
}
