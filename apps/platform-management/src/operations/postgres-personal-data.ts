import {
  type KeptRows,
  PersonalData,
  type PersonalErasure,
  type RowsOfEvents,
  type RowsOnTheirOwn,
} from '@postern/service-host';
import type pg from 'pg';

/** The platform's people are users, not recipients: their accounts stay. Failed logins name whatever was typed. */
export class PersonalRows extends PersonalData {
  override readonly isInEvents = false;

  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async eraseRowsOf(): Promise<RowsOfEvents> {
    return { erased: {}, unfinished: 0 };
  }

  async eraseRows({ forms }: PersonalErasure, _from: string | undefined, tx: pg.ClientBase): Promise<RowsOnTheirOwn> {
    const { rowCount } = await tx.query(
      `DELETE FROM login_failures f WHERE f.email = ANY ($1)
         AND NOT EXISTS (SELECT FROM credentials c WHERE c.email = f.email)`,
      [forms.map(form => form.toLowerCase())],
    );
    return { erased: { login_failures: rowCount ?? 0 } };
  }

  override async kept({ forms }: PersonalErasure): Promise<readonly KeptRows[]> {
    const { rows } = await this.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM credentials WHERE email = ANY ($1)',
      [forms.map(form => form.toLowerCase())],
    );
    const count = rows[0]?.count ?? 0;
    return count === 0
      ? []
      : [{ kind: 'credentials', rows: count, reason: 'a user of the dashboard logs in with this address' }];
  }
}
