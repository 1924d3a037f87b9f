import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { DomainChecks, type DueDomain } from './ports.js';
import { CLAIM_DUE_CHECKS } from './sending-domains.sql.js';

/** The schedule of DNS checks in PostgreSQL. */
@Injectable()
export class PostgresDomainChecks extends DomainChecks {
  constructor(private readonly database: Database) {
    super();
  }

  async claimDue(atMost: number): Promise<readonly DueDomain[]> {
    const { rows } = await this.database.pool.query<DueDomain>(CLAIM_DUE_CHECKS, [atMost]);
    return rows;
  }
}
