import type { ProjectionTables } from '@postern/event-sourcing/postgres';

/** Adds a key to the read model. */
export const INSERT_API_KEY = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('api_keys')} (id, service_id, name, key_hash, key_prefix, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

/** Removes a revoked key from the read model. */
export const DELETE_API_KEY = ({ table }: ProjectionTables) => `DELETE FROM ${table('api_keys')} WHERE id = $1`;
