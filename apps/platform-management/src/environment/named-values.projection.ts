import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';
import type { NamedValueEvent } from './named-values.js';

/** Applies one event to the read model of variables and secrets, which holds their keys but not their values. */
export function applyNamedValueEvent(event: NamedValueEvent, tx: ProjectionTransaction): Promise<unknown> {
  const values = tx.table('named_values');
  switch (event.type) {
    case 'platform-management.variable-set.v1':
    case 'platform-management.project-secret-set.v1': {
      const { owner_id, value_id, key, scope, is_secret } = event.data;
      return tx.query(
        `INSERT INTO ${values} (id, owner_id, key, scope, is_secret) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE SET is_secret = excluded.is_secret`,
        [value_id, owner_id, key, scope, is_secret],
      );
    }
    case 'platform-management.variable-deleted.v1':
    case 'platform-management.project-secret-deleted.v1':
      return tx.query(`DELETE FROM ${values} WHERE id = $1`, [event.data.value_id]);
  }
}
