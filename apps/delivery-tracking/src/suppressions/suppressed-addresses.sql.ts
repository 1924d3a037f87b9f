import type { ProjectionTables } from '@postern/event-sourcing/postgres';

/** Removes a batch of addresses from one generation of the read model. `$1` rows as JSON. */
export const removeSuppressedAddresses = ({ table }: ProjectionTables): string => `
  DELETE FROM ${table('suppressed_addresses')} AS suppressed
  USING jsonb_to_recordset($1::jsonb) AS line (service_id uuid, address text)
  WHERE suppressed.service_id = line.service_id AND suppressed.address = line.address`;

/** Deletes the addresses of services from one generation of the read model. `$1` service ids. */
export const deleteSuppressedAddresses = ({ table }: ProjectionTables): string =>
  `DELETE FROM ${table('suppressed_addresses')} WHERE service_id = ANY ($1::uuid[])`;

/** Adds a batch of addresses to one generation of the read model. `$1` rows as JSON. */
export const addSuppressedAddresses = ({ table }: ProjectionTables): string => `
  INSERT INTO ${table('suppressed_addresses')} (service_id, address, reason, email_id, at)
  SELECT service_id, address, reason, email_id, at FROM jsonb_to_recordset($1::jsonb)
    AS line (service_id uuid, address text, reason text, email_id uuid, at timestamptz)
  ON CONFLICT (service_id, address) DO UPDATE
    SET reason = excluded.reason, email_id = excluded.email_id, at = excluded.at`;

/** At most `$4` entries of a service `$1` that contain `$2`, in the order of their addresses, after `$3`. */
export const EXPORT_SUPPRESSED_ADDRESSES = `
  SELECT address, reason, email_id, at FROM suppressed_addresses
  WHERE service_id = $1 AND strpos(address, $2) > 0 AND ($3::text IS NULL OR address COLLATE "C" > $3)
  ORDER BY address COLLATE "C" LIMIT $4`;
