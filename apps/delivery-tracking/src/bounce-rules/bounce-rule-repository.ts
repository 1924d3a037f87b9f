import { Injectable } from '@nestjs/common';
import { MAX_BOUNCE_RULES, Refusal } from '@postern/contracts';
import { inTransaction } from '@postern/event-sourcing/postgres';
import type { BounceName } from '@postern/mail';
import { Database } from '@postern/service-host';
import type { OwnBounceRule } from '../tracked-emails/own-bounce-rules.js';
import { DELETE_BOUNCE_RULE, INSERT_BOUNCE_RULE, LIST_BOUNCE_RULES, LOCK_BOUNCE_RULES } from './bounce-rules.sql.js';

export interface BounceRuleRow {
  readonly id: string;
  readonly phrase: string;
  readonly cause: BounceName;
  readonly domain: string | null;
  readonly status_code: string | null;
  readonly created_at: Date;
}

/** The bounce rules of email services. */
@Injectable()
export class BounceRuleRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list(serviceId: string): Promise<readonly BounceRuleRow[]> {
    const { rows } = await this.database.pool.query<BounceRuleRow>(LIST_BOUNCE_RULES, [serviceId]);
    return rows;
  }

  /** Returns the same rule if it exists. Refuses `bounce_rule_exists` and `quota_reached`. */
  add(serviceId: string, rule: OwnBounceRule): Promise<BounceRuleRow> {
    const { id, phrase, cause, domain, statusCode } = rule;
    return inTransaction(this.database.pool, async client => {
      await client.query(LOCK_BOUNCE_RULES, [serviceId]);
      const { rows } = await client.query<BounceRuleRow>(LIST_BOUNCE_RULES, [serviceId]);
      const same = rows.find(row => row.phrase === phrase && row.domain === domain && row.status_code === statusCode);
      if (same?.cause === cause) return same;
      if (same) {
        throw new Refusal(
          'bounce_rule_exists',
          `phrase: the rule ${same.id} classifies these replies as ${same.cause}; delete it first`,
        );
      }
      if (rows.length >= MAX_BOUNCE_RULES) {
        throw new Refusal(
          'quota_reached',
          `at most ${MAX_BOUNCE_RULES} bounce rules per email service. Delete unused rules.`,
        );
      }
      const added = await client.query<BounceRuleRow>(INSERT_BOUNCE_RULE, [
        id,
        serviceId,
        phrase,
        cause,
        domain,
        statusCode,
      ]);
      return added.rows[0]!;
    });
  }

  /** Refuses `bounce_rule_not_found`. */
  async delete(serviceId: string, id: string): Promise<void> {
    const { rowCount } = await this.database.pool.query(DELETE_BOUNCE_RULE, [id, serviceId]);
    if (rowCount === 0) throw new Refusal('bounce_rule_not_found', 'there is no bounce rule with this id');
  }
}
