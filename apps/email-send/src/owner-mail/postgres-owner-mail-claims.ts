import { Injectable } from '@nestjs/common';
import { inSteps } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { untilWritten } from '../infrastructure/postgres/until-written.js';
import { PURGE_CLAIMS, RELEASE_CLAIM, TAKE_CLAIM } from './owner-mails.sql.js';
import { type OwnerMailClaim, OwnerMailClaims } from './ports.js';

/** Claims in PostgreSQL, each committed before its mail is sent. */
@Injectable()
export class PostgresOwnerMailClaims extends OwnerMailClaims {
  constructor(private readonly database: Database) {
    super();
  }

  override async take(claim: OwnerMailClaim): Promise<boolean> {
    return (await this.database.pool.query(TAKE_CLAIM, valuesOf(claim))).rowCount === 1;
  }

  /** Waits while the database is unavailable: a claim that stays prevents the mail for good. */
  override async release(claim: OwnerMailClaim): Promise<void> {
    await untilWritten(() => this.database.pool.query(RELEASE_CLAIM, valuesOf(claim)));
  }

  override async purge(before: Date): Promise<void> {
    await inSteps(this.database.pool, PURGE_CLAIMS, [before]);
  }
}

const valuesOf = ({ resourceId, kind, userId, occurredAt }: OwnerMailClaim) => [resourceId, kind, userId, occurredAt];
