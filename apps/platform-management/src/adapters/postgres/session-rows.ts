import type pg from 'pg';
import type { Session, Sessions, SessionUser } from '../../ports.js';

/** Sessions as plain rows: they carry no history worth keeping. */
export class SessionRows implements Sessions {
  constructor(private readonly pool: pg.Pool) {}

  async open(tokenHash: string, { userId, workspaceId }: Session, expiresAt: Date): Promise<void> {
    await this.pool.query(
      'INSERT INTO sessions (token_hash, user_id, workspace_id, expires_at) VALUES ($1, $2, $3, $4)',
      [tokenHash, userId, workspaceId, expiresAt],
    );
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

  async endAllOf(userId: string): Promise<void> {
    await this.pool.query('DELETE FROM sessions WHERE user_id = $1', [userId]);
  }

  async purgeExpired(): Promise<void> {
    await this.pool.query('DELETE FROM sessions WHERE expires_at <= now()');
  }
}
