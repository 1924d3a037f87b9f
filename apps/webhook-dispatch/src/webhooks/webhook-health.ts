import { Injectable } from '@nestjs/common';
import type { WebhookHealth } from '@postern/contracts';
import { Database } from '@postern/service-host';
import { DISABLED_BY_OWNER } from './webhook.js';
import { FIND_TROUBLED_WEBHOOKS, FIND_WEBHOOK_HEALTH } from './webhook-health.sql.js';

interface HealthRow {
  readonly id: string;
  readonly failing_since: Date | null;
  readonly attempted: number;
  readonly failed: number;
  readonly attempts: number;
  readonly last_at: Date | null;
  readonly last_outcome: 'accepted' | 'refused' | 'retry' | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly next_attempt_at: Date | null;
}

/** Attempts that fail in a row before a webhook counts as failing; a single one is repeated within seconds. */
const FAILING_FROM = 3;

/** A webhook that fails, or that Postern disabled. */
export interface TroubledWebhook {
  readonly id: string;
  readonly service_id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
}

/** How the latest deliveries of webhooks went. */
@Injectable()
export class WebhookHealths {
  constructor(private readonly database: Database) {}

  async of(webhookIds: readonly string[]): Promise<ReadonlyMap<string, WebhookHealth>> {
    if (webhookIds.length === 0) return new Map();
    const { rows } = await this.database.pool.query<HealthRow>(FIND_WEBHOOK_HEALTH, [webhookIds]);
    return new Map(rows.map(row => [row.id, healthOf(row)]));
  }

  /** Webhooks of services whose attempts have all failed lately, or that were disabled, but not by their owner. */
  async troubled(serviceIds: readonly string[]): Promise<readonly TroubledWebhook[]> {
    const values = [serviceIds, DISABLED_BY_OWNER];
    return (await this.database.pool.query<TroubledWebhook>(FIND_TROUBLED_WEBHOOKS, values)).rows;
  }
}

const healthOf = (row: HealthRow): WebhookHealth => ({
  state: stateOf(row),
  attempted_24h: row.attempted,
  failed_24h: row.failed,
  failing_since: row.failing_since?.toISOString() ?? null,
  last_attempt:
    row.last_at === null || row.last_outcome === null
      ? null
      : { at: row.last_at.toISOString(), outcome: row.last_outcome, status: row.last_status, error: row.last_error },
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
});

const stateOf = ({ failing_since, attempts, failed }: HealthRow): WebhookHealth['state'] => {
  if (failing_since !== null && attempts >= FAILING_FROM) return 'failing';
  return failed > 0 ? 'degraded' : 'healthy';
};

/** What an endpoint answered, in words: `503`, or `connection refused`. */
export const answerOf = ({ last_attempt: last }: WebhookHealth): string | undefined =>
  last ? (last.error ?? (last.status === null ? undefined : `status ${last.status}`)) : undefined;
