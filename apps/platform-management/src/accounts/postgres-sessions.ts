import { inSteps } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import type { NewSession, Sessions, SessionUser } from './ports.js';

/** Sessions as plain rows: they carry no history worth keeping. */
export class SessionRows implements Sessions {
  constructor(private readonly pool: pg.Pool) {}

  async open({ tokenHash, userId, workspaceId, passwordHash, expiresAt }: NewSession): Promise<boolean> {
    // FOR SHARE: a change of password under way is waited for, and a later one finds this row and deletes it.
    const { rowCount } = await this.pool.query(
      `INSERT INTO sessions (token_hash, user_id, workspace_id, expires_at)
       SELECT $1, user_id, $3, $4 FROM credentials WHERE user_id = $2 AND password_hash = $5 FOR SHARE`,
      [tokenHash, userId, workspaceId, expiresAt, passwordHash],
    );
    return rowCount === 1;
  }

  async find(tokenHash: string): Promise<SessionUser | undefined> {
    const { rows } = await this.pool.query<SessionUser>({
      name: 'find-session',
      text: `SELECT s.user_id AS "userId", s.workspace_id AS "workspaceId", c.email, c.operator
             FROM sessions s JOIN credentials c ON c.user_id = s.user_id
             WHERE s.token_hash = $1 AND s.expires_at > now()`,
      values: [tokenHash],
    });
    return rows[0];
  }

  async moveTo(tokenHash: string, workspaceId: string): Promise<void> {
    await this.pool.query('UPDATE sessions SET workspace_id = $2 WHERE token_hash = $1', [tokenHash, workspaceId]);
  }

  async end(tokenHash: string): Promise<void> {
    await this.pool.query('DELETE FROM sessions WHERE token_hash = $1', [tokenHash]);
  }

  async purgeExpired(): Promise<void> {
    await inSteps(
      this.pool,
      'DELETE FROM sessions WHERE ctid = ANY (ARRAY(SELECT ctid FROM sessions WHERE expires_at <= now() LIMIT $1))',
      [],
    );
  }
}
