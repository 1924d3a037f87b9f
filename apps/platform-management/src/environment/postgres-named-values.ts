import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import type { Scope } from './named-values.js';
import { type NamedValueReading, NamedValueReadings } from './ports.js';
import { sealedValueRow } from './postgres-sealed-values.js';
import { IS_SECRET, NEWER_SECRECY, streamsOf } from './value-secrecy.js';

interface Row {
  readonly id: string;
  readonly key: string;
  readonly scope: Scope | null;
  readonly is_secret: boolean;
  /** Null for a secret one, which nobody reads. */
  readonly sealed: string | null;
}

/** Variables and secrets with their values; secret ones stay sealed. */
export class NamedValueRows extends NamedValueReadings {
  constructor(
    private readonly pool: pg.Pool,
    private readonly keys: KeyRing,
  ) {
    super();
  }

  override async of(ownerId: string): Promise<readonly NamedValueReading[]> {
    const { rows } = await this.pool.query<Row>({
      name: 'named-values',
      text: `WITH ${NEWER_SECRECY}
             SELECT v.id, v.key, v.scope, ${IS_SECRET} AS is_secret,
               CASE WHEN NOT ${IS_SECRET} THEN s.sealed END AS sealed
             FROM named_values v JOIN sealed_values s USING (id) LEFT JOIN newer USING (id) WHERE v.owner_id = $2
             ORDER BY v.key COLLATE "C", array_position(ARRAY['production', 'staging', 'development'], v.scope)`,
      values: [streamsOf(ownerId), ownerId],
    });
    return rows.map(({ id, key, scope, is_secret, sealed }) => ({
      id,
      key,
      scope: scope ?? undefined,
      isSecret: is_secret,
      value: sealed === null ? undefined : this.keys.open(sealed, sealedValueRow(id)),
    }));
  }
}
