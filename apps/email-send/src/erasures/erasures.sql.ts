/** Serializes requests for the same address. */
export const LOCK_ADDRESS = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/** The erasure of an address by its keyed hashes, locked. */
export const FIND_BY_ADDRESS = `
  SELECT id, replacement, status, pass, services, requested_at, completed_at
  FROM erasures WHERE address_hash = ANY ($1) ORDER BY requested_at DESC LIMIT 1 FOR UPDATE`;

/** Stores a new erasure, or one that was requested again. */
export const SAVE_REQUEST = `
  INSERT INTO erasures (id, address_hash, sealed_address, replacement, status, pass, services, requested_at)
  VALUES ($1, $2, $3, $4, 'running', $5, $6, $7)
  ON CONFLICT (id) DO UPDATE SET address_hash = excluded.address_hash, sealed_address = excluded.sealed_address,
    status = excluded.status, pass = excluded.pass, services = excluded.services,
    revision = erasures.revision + 1, requested_at = excluded.requested_at, completed_at = NULL`;
