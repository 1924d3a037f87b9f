import { Injectable } from '@nestjs/common';
import { Database, KeyRing } from '@postern/service-host';
import { LIST_VALUES } from './environment.sql.js';
import { type Scope, valueStreamsOf } from './named-values.js';
import { type NamedValueView } from './ports.js';
import { sealedValueRow } from './sealed-values.js';

interface Row {
  readonly id: string;
  readonly key: string;
  readonly scope: Scope | null;
  readonly is_secret: boolean;
  /** Null for a secret. */
  readonly sealed: string | null;
}

/** Reads and decrypts values; secrets stay encrypted. */
@Injectable()
export class NamedValueReader {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
  ) {}

  async valuesOf(ownerId: string): Promise<readonly NamedValueView[]> {
    const query = { name: 'named-values', text: LIST_VALUES, values: [valueStreamsOf(ownerId), ownerId] };
    const { rows } = await this.database.pool.query<Row>(query);
    return rows.map(({ id, key, scope, is_secret, sealed }) => ({
      id,
      key,
      scope: scope ?? undefined,
      isSecret: is_secret,
      value: sealed === null ? undefined : this.keys.open(sealed, sealedValueRow(id)),
    }));
  }
}
