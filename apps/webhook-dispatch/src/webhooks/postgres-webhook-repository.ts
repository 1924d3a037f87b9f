import { randomBytes } from 'node:crypto';
import { Refusal } from '@postern/contracts/refusal';
import type { CommandTransactions } from '@postern/event-sourcing/postgres';
import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import {
  type WebhookChanges,
  type WebhookCommand,
  type WebhookEvent,
  webhook,
  webhookStream,
} from './webhook.js';
import { type NewSecret, type NewWebhook, type WebhookKey, WebhookRepository } from '../deliveries/ports.js';
import { HOLD } from '../deliveries/delivery-queue.sql.js';

const SECRET_BYTES = 32;

export interface WebhookRepositoryOptions {
  readonly transactions: CommandTransactions;
  readonly keys: KeyRing;
  /** Told after an endpoint was enabled, for there may be something to send. */
  readonly onEnabled: () => void;
}

/** Webhooks in PostgreSQL: events, sealed secrets and what becomes of pending deliveries, in one transaction each. */
export class PostgresWebhookRepository extends WebhookRepository {
  constructor(private readonly options: WebhookRepositoryOptions) {
    super();
  }

  override async create({ service_id, webhook_id, url, events }: NewWebhook, limit: number): Promise<NewSecret> {
    const { secret, sealed } = this.#newSecret(webhook_id);
    await this.options.transactions.execute({
      decider: webhook,
      streamId: webhookStream(webhook_id),
      command: { kind: 'create', identity: { webhook_id, service_id, at: now() }, url, events },
      // No stream: whoever adds a webhook to the service holds this name until it is counted.
      locks: [`webhooks-of-${service_id}`],
      check: client => refuseAbove(limit, client, service_id),
      write: client =>
        client.query('INSERT INTO webhook_secrets (webhook_id, service_id, current) VALUES ($1, $2, $3)', [
          webhook_id,
          service_id,
          sealed,
        ]),
    });
    return { secret };
  }

  override async change({ service_id, webhook_id }: WebhookKey, changes: WebhookChanges): Promise<void> {
    const command = { kind: 'change', serviceId: service_id, at: now(), ...changes } as const;
    const events = await this.#execute(webhook_id, command, deliveriesFollow(webhook_id));
    if (events.some(({ type }) => type === 'webhook-dispatch.webhook-enabled.v1')) this.options.onEnabled();
  }

  override async disable(webhookId: string, reason: string): Promise<void> {
    await this.#execute(webhookId, { kind: 'disable', reason, at: now() }, deliveriesFollow(webhookId));
  }

  override async rotateSecret({ service_id, webhook_id }: WebhookKey): Promise<NewSecret> {
    const { secret, sealed } = this.#newSecret(webhook_id);
    await this.#execute(webhook_id, { kind: 'rotate-secret', serviceId: service_id, at: now() }, async client => {
      const { rowCount } = await client.query('UPDATE webhook_secrets SET next = $2 WHERE webhook_id = $1', [
        webhook_id,
        sealed,
      ]);
      if (rowCount === 0) throw new Error(`webhook ${webhook_id} has no secret`);
    });
    return { secret };
  }

  override async switchSecret({ service_id, webhook_id }: WebhookKey): Promise<void> {
    await this.#execute(webhook_id, { kind: 'switch-secret', serviceId: service_id, at: now() }, async client => {
      const { rowCount } = await client.query(
        'UPDATE webhook_secrets SET current = next, next = NULL WHERE webhook_id = $1 AND next IS NOT NULL',
        [webhook_id],
      );
      // Only where an earlier release recorded a rotation whose secret it never stored.
      if (rowCount === 0) throw new Refusal('no_next_secret', 'rotate the secret first; there is none to switch to');
    });
  }

  override async remove({ service_id, webhook_id }: WebhookKey): Promise<void> {
    await this.#execute(webhook_id, { kind: 'remove', serviceId: service_id, at: now() }, client =>
      client.query('DELETE FROM webhook_secrets WHERE webhook_id = $1', [webhook_id]),
    );
  }

  #execute(
    webhookId: string,
    command: WebhookCommand,
    write: (client: pg.ClientBase, events: readonly WebhookEvent[]) => Promise<unknown>,
  ): Promise<readonly WebhookEvent[]> {
    return this.options.transactions.execute({ decider: webhook, streamId: webhookStream(webhookId), command, write });
  }

  #newSecret(webhookId: string): NewSecret & { readonly sealed: string } {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    return { secret, sealed: this.options.keys.seal(secret, webhookId) };
  }
}

const now = (): string => new Date().toISOString();

/** Counts secrets, which are written with the events. A replica of the release before writes no service beside them. */
async function refuseAbove(limit: number, client: pg.ClientBase, serviceId: string): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM webhook_secrets WHERE service_id = $1
       OR service_id IS NULL AND webhook_id IN (SELECT id FROM webhooks WHERE webhooks.service_id = $1)`,
    [serviceId],
  );
  if ((rows[0]?.count ?? 0) >= limit)
    throw new Refusal('too_many_webhooks', `an email service can have ${limit} webhooks`);
}

/** What is pending for a disabled endpoint is held until it is replayed; an enabled one starts without failures. */
const deliveriesFollow =
  (webhookId: string) =>
  async (client: pg.ClientBase, events: readonly WebhookEvent[]): Promise<void> => {
    const types = new Set(events.map(({ type }) => type));
    if (types.has('webhook-dispatch.webhook-disabled.v1')) await client.query(HOLD, [webhookId]);
    if (types.has('webhook-dispatch.webhook-enabled.v1'))
      await client.query('DELETE FROM failing_webhooks WHERE webhook_id = $1', [webhookId]);
  };
