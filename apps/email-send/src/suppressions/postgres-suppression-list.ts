import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { type SuppressionChange, SuppressionList } from './ports.js';
import { APPLY_CHANGES, FIND_SUPPRESSED } from './suppressions.sql.js';

/**
 * The suppression lists in PostgreSQL. An address whose suppression was lifted keeps its row, so that an older event that
 * arrives late does not suppress it again.
 */
@Injectable()
export class PostgresSuppressionList extends SuppressionList {
  constructor(@Inject(Database) private readonly database: Pick<Database, 'pool'>) {
    super();
  }

  async suppressedAmong(serviceId: string, addresses: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.database.pool.query<{ address: string }>({
      name: 'suppressed-among',
      text: FIND_SUPPRESSED,
      values: [serviceId, addresses],
    });
    return new Set(rows.map(({ address }) => address));
  }

  async apply(changes: readonly SuppressionChange[]): Promise<void> {
    await this.database.pool.query(APPLY_CHANGES, [
      changes.map(({ serviceId }) => serviceId),
      changes.map(({ address }) => address),
      changes.map(({ isSuppressed }) => !isSuppressed),
      changes.map(({ at }) => at),
    ]);
  }
}
