import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import type { Scope } from '../../domain/resources/named-values.js';
import { type NamedValueReading, NamedValueReadings } from '../../ports/resources.js';
import { sealedValueRow } from './sealed-values.js';

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
      text: `SELECT v.id, v.key, v.scope, v.is_secret, CASE WHEN NOT v.is_secret THEN s.sealed END AS sealed
             FROM named_values v JOIN sealed_values s ON s.id = v.id WHERE v.owner_id = $1
             ORDER BY v.key COLLATE "C", array_position(ARRAY['production', 'staging', 'development'], v.scope)`,
      values: [ownerId],
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
