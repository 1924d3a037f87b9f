import type pg from 'pg';
import type { LoginAttempt, LoginFailures } from '../../ports.js';

/** Failed logins as plain rows. An attempt is written before it is counted, so parallel ones see each other. */
export class LoginFailureRows implements LoginFailures {
  constructor(private readonly pool: pg.Pool) {}

  async begin(email: string, ip: string, windowS: number): Promise<LoginAttempt> {
    const inserted = await this.pool.query<{ id: string }>(
      'INSERT INTO login_failures (email, ip) VALUES ($1, $2) RETURNING id',
      [email, ip],
    );
    const id = inserted.rows[0]?.id ?? '0';
    const { rows } = await this.pool.query<{ of_account: number; of_address: number }>(
      `SELECT (SELECT count(*) FROM login_failures WHERE email = $1 AND id <> $4 AND at > now() - make_interval(secs => $3))::int AS of_account,
              (SELECT count(*) FROM login_failures WHERE ip = $2 AND $2 <> '' AND id <> $4 AND at > now() - make_interval(secs => $3))::int AS of_address`,
      [email, ip, windowS, id],
    );
    return { ofAccount: rows[0]?.of_account ?? 0, ofAddress: rows[0]?.of_address ?? 0, id };
  }

  async cancel({ id }: LoginAttempt): Promise<void> {
    await this.pool.query('DELETE FROM login_failures WHERE id = $1', [id]);
  }

  async forgive(email: string): Promise<void> {
    await this.pool.query('DELETE FROM login_failures WHERE email = $1', [email]);
  }

  async purgeOlderThan(windowS: number): Promise<void> {
    await this.pool.query('DELETE FROM login_failures WHERE at < now() - make_interval(secs => $1)', [windowS]);
  }
}
