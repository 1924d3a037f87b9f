import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection, ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { NAMED_VALUE_EVENT_TYPES, type NamedValueEvent } from '../../environment/named-values.js';
import { PLATFORM_KEY_EVENT_TYPES, type PlatformKeyEvent } from '../../platform-keys/platform-key.js';
import type { ProjectEvent } from '../../projects/project.js';

type ResourceEvent = PlatformKeyEvent | ProjectEvent | NamedValueEvent;

const apply = (event: ResourceEvent, tx: ProjectionTransaction): Promise<unknown> => {
  switch (event.type) {
    case 'platform-management.platform-key-created.v1': {
      const { key_id, user_id, workspace_id, name, key_hash, key_prefix, scope, expires_at, at } = event.data;
      return tx.query(
        `INSERT INTO ${tx.table('platform_keys')}
           (id, user_id, workspace_id, name, key_hash, key_prefix, scope, expires_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [key_id, user_id, workspace_id, name, key_hash, key_prefix, scope, expires_at, at],
      );
    }
    case 'platform-management.platform-key-revoked.v1':
      return tx.query(`DELETE FROM ${tx.table('platform_keys')} WHERE id = $1`, [event.data.key_id]);
    case 'platform-management.project-created.v1': {
      const { project_id, user_id, workspace_id, name, description, at } = event.data;
      return tx.query(
        `INSERT INTO ${tx.table('projects')} (id, user_id, workspace_id, name, description, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)`,
        [project_id, user_id, workspace_id, name, description, at],
      );
    }
    case 'platform-management.variable-set.v1':
    case 'platform-management.project-secret-set.v1': {
      const { owner_id, value_id, key, scope, is_secret } = event.data;
      return tx.query(
        `INSERT INTO ${tx.table('named_values')} (id, owner_id, key, scope, is_secret) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE SET is_secret = excluded.is_secret`,
        [value_id, owner_id, key, scope, is_secret],
      );
    }
    case 'platform-management.variable-deleted.v1':
    case 'platform-management.project-secret-deleted.v1':
      return tx.query(`DELETE FROM ${tx.table('named_values')} WHERE id = $1`, [event.data.value_id]);
  }
};

/** Platform keys, projects, and which variables and secrets there are; the values themselves lie sealed elsewhere. */
export const resources: Projection = {
  name: 'resources',
  version: 1,
  tables: ['platform_keys', 'projects', 'named_values'],
  eventTypes: [...PLATFORM_KEY_EVENT_TYPES, 'platform-management.project-created.v1', ...NAMED_VALUE_EVENT_TYPES],
  apply: async (events, tx) => {
    for (const event of events) await apply(event as RecordedEvent & ResourceEvent, tx);
  },
};
