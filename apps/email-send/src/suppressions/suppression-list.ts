import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';

/** A change to the suppression list of an email service. */
export interface SuppressionChange {
  readonly serviceId: string;
  /** Lower case. */
  readonly address: string;
  readonly isSuppressed: boolean;
  readonly at: Date;
}

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

/**
 * The suppression lists in PostgreSQL. An address whose suppression was lifted keeps its row, so that an older event that
 * arrives late does not suppress it again.
 */
@Injectable()
export class SuppressionList {
  constructor(@Inject(Database) private readonly database: Pick<Database, 'pool'>) {}

  /** The addresses (lower case) that are suppressed for the service. */
  async suppressedAmong(serviceId: string, addresses: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.database.pool.query<{ address: string }>({
      name: 'suppressed-among',
      text: FIND_SUPPRESSED,
      values: [serviceId, addresses],
    });
    return new Set(rows.map(({ address }) => address));
  }

  /** Applies changes. For each address the latest change wins, for any order and repetition of changes. */
  async apply(changes: readonly SuppressionChange[]): Promise<void> {
    await this.database.pool.query(APPLY_CHANGES, [
      changes.map(({ serviceId }) => serviceId),
      changes.map(({ address }) => address),
      changes.map(({ isSuppressed }) => !isSuppressed),
      changes.map(({ at }) => at),
    ]);
  }
}
