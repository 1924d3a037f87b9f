import type pg from 'pg';
import { DomainChecks, type DueDomain } from '../../ports.js';

/** The schedule of domain checks. A claim is the due time put off: one that is never finished falls due again. */
export class PostgresDomainChecks extends DomainChecks {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async claimDue(atMost: number): Promise<readonly DueDomain[]> {
    const { rows } = await this.pool.query<DueDomain>(
      `WITH due AS (
         SELECT d.id, d.service_id FROM sending_domains d LEFT JOIN domain_checks c ON c.domain_id = d.id
         WHERE c.due_at IS NULL OR c.due_at <= now()
         ORDER BY c.due_at NULLS FIRST LIMIT $1
       ), claimed AS (
         INSERT INTO domain_checks AS c (domain_id, due_at)
         SELECT id, now() + interval '2 minutes' FROM due ORDER BY id
         ON CONFLICT (domain_id) DO UPDATE SET due_at = excluded.due_at WHERE c.due_at <= now()
         RETURNING domain_id
       )
       SELECT due.id AS "domainId", due.service_id AS "serviceId" FROM due JOIN claimed ON claimed.domain_id = due.id`,
      [atMost],
    );
    return rows;
  }

  async checked(domainId: string, nextInS: number): Promise<void> {
    await this.pool.query(
      `INSERT INTO domain_checks (domain_id, checked_at, due_at) VALUES ($1, now(), now() + make_interval(secs => $2))
       ON CONFLICT (domain_id) DO UPDATE SET checked_at = excluded.checked_at, due_at = excluded.due_at`,
      [domainId, nextInS],
    );
  }

  async hasten(domainId: string): Promise<void> {
    await this.pool.query('UPDATE domain_checks SET due_at = now() WHERE domain_id = $1', [domainId]);
  }

  async forget(domainId: string): Promise<void> {
    await this.pool.query('DELETE FROM domain_checks WHERE domain_id = $1', [domainId]);
  }
}
