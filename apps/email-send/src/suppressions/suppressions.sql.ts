/** The addresses among `$2` that a service suppresses. */
export const FIND_SUPPRESSED =
  'SELECT address FROM suppressed_addresses WHERE service_id = $1 AND address = ANY ($2) AND NOT lifted';

/** Applies the latest change of each address, unless a later one is stored. */
export const APPLY_CHANGES = `
  INSERT INTO suppressed_addresses AS known (service_id, address, lifted, told_at)
  SELECT DISTINCT ON (service, address) service, address, lifted, told_at
  FROM unnest($1::uuid[], $2::text[], $3::boolean[], $4::timestamptz[]) AS change (service, address, lifted, told_at)
  ORDER BY service, address, told_at DESC
  ON CONFLICT (service_id, address) DO UPDATE SET lifted = excluded.lifted, told_at = excluded.told_at
    WHERE known.told_at < excluded.told_at`;
