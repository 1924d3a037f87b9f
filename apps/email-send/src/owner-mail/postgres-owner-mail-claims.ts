import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { untilWritten } from '../infrastructure/postgres/until-written.js';
import { type OwnerMailClaim, OwnerMailClaims } from './ports.js';

/** One row per owner, kind and resource, so that concurrent replicas wait for each other. */
export const TAKE_CLAIM = `
  INSERT INTO owner_mails AS m (resource_id, kind, user_id, occurred_at, claimed_at) VALUES ($1, $2, $3, $4, now())
  ON CONFLICT (resource_id, kind, user_id) DO UPDATE SET occurred_at = excluded.occurred_at, claimed_at = now()
  WHERE m.claimed_at IS NULL AND m.occurred_at <= excluded.occurred_at
    OR m.occurred_at < excluded.occurred_at AND m.claimed_at < now() - interval '1 hour'`;

/** Makes a claim free, unless a later event has it. */
export const RELEASE_CLAIM = `
  UPDATE owner_mails SET claimed_at = NULL
  WHERE resource_id = $1 AND kind = $2 AND user_id = $3 AND occurred_at = $4::timestamptz(3)`;

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
}

const valuesOf = ({ resourceId, kind, userId, occurredAt }: OwnerMailClaim) => [resourceId, kind, userId, occurredAt];
