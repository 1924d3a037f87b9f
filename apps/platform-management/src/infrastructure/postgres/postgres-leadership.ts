import { withLeadership } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import { Leadership } from '../../web-services/ports.js';

/** Leadership by a lock of one connection; a killed leader is succeeded as soon as PostgreSQL notices. */
export class PostgresLeadership extends Leadership {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  override lead(name: string, stop: AbortSignal, lead: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
    return withLeadership(this.pool, name, stop, lead);
  }
}
