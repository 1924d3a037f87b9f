import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { DELETE_VALUE, DELETE_VALUES_OF, SET_VALUE } from './environment.sql.js';
import type { NamedValueEvent } from './named-values.js';

/** Deletes the variables or secrets of a deleted web service or project. */
export const deleteValuesOf = (ownerId: string, tx: ProjectionTransaction): Promise<unknown> =>
  tx.query(DELETE_VALUES_OF(tx), [ownerId]);

/** Applies one event to the read model of variables and secrets, which holds their keys but not their values. */
export function applyNamedValueEvent(event: NamedValueEvent, tx: ProjectionTransaction): Promise<unknown> {
  switch (event.type) {
    case 'platform-management.variable-set.v1':
    case 'platform-management.project-secret-set.v1': {
      const { owner_id, value_id, key, scope, is_secret } = event.data;
      return tx.query(SET_VALUE(tx), [value_id, owner_id, key, scope, is_secret]);
    }
    case 'platform-management.variable-deleted.v1':
    case 'platform-management.project-secret-deleted.v1':
      return tx.query(DELETE_VALUE(tx), [event.data.value_id]);
  }
}
