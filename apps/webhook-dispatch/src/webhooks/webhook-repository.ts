import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { quotaReached } from '@postern/contracts';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import type { NewSecret, NewWebhook, WebhookKey } from './ports.js';
import { type WebhookChanges, type WebhookCommand, type WebhookEvent, webhook, webhookStream } from './webhook.js';
import {
  CLEAR_FAILURES,
  COUNT_WEBHOOKS,
  DELETE_SECRET,
  HOLD_PENDING_DELIVERIES,
  INSERT_SECRET,
  SET_NEXT_SECRET,
  SWITCH_SECRET,
} from './webhooks.sql.js';

const SECRET_BYTES = 32;

/**
 * Writes webhooks: events, sealed secret and pending deliveries in one transaction, which the read model shows afterwards. Secrets are
 * never part of an event. Refuses `webhook_not_found`, also for webhooks of other services.
 */
@Injectable()
export class WebhookRepository {
  readonly #enabledListeners: (() => void)[] = [];

  constructor(
    private readonly transactions: CommandTransactions,
    private readonly keys: KeyRing,
  ) {}

  /** Refuses `quota_reached` above the limit, across all replicas. */
  async create({ service_id, webhook_id, ...creation }: NewWebhook, limit: number): Promise<NewSecret> {
    const { secret, sealed } = this.#newSecret(webhook_id);
    await this.transactions.execute({
      decider: webhook,
      streamId: webhookStream(webhook_id),
      command: { kind: 'create', identity: { webhook_id, service_id, at: now() }, creation },
      // Not a stream: this lock serializes creations of one service, so that the count is exact.
      locks: [`webhooks-of-${service_id}`],
      check: client => checkLimit(limit, client, service_id),
      write: client => client.query(INSERT_SECRET, [webhook_id, service_id, sealed]),
    });
    return { secret };
  }

  /** Disabling holds pending deliveries; enabling clears the recorded failures. */
  async change({ service_id, webhook_id }: WebhookKey, changes: WebhookChanges): Promise<void> {
    const command = { kind: 'change', serviceId: service_id, at: now(), ...changes } as const;
    const events = await this.#execute(webhook_id, command, updateDeliveries(webhook_id));
    if (events.some(({ type }) => type === 'webhook-dispatch.webhook-enabled.v1'))
      for (const listener of this.#enabledListeners) listener();
  }

  /** Disables a webhook that keeps failing; does nothing if it is already disabled or removed. */
  async disable(webhookId: string, reason: string): Promise<void> {
    await this.#execute(webhookId, { kind: 'disable', reason, at: now() }, updateDeliveries(webhookId));
  }

  /** Generates the next secret; the current one keeps signing. */
  async rotateSecret({ service_id, webhook_id }: WebhookKey): Promise<NewSecret> {
    const { secret, sealed } = this.#newSecret(webhook_id);
    await this.#execute(webhook_id, { kind: 'rotate-secret', serviceId: service_id, at: now() }, async client => {
      const { rowCount } = await client.query(SET_NEXT_SECRET, [webhook_id, sealed]);
      if (rowCount === 0) throw new Error(`webhook ${webhook_id} has no secret`);
    });
    return { secret };
  }

  /** Activates the next secret; refuses `no_next_secret`. */
  async switchSecret({ service_id, webhook_id }: WebhookKey): Promise<void> {
    await this.#execute(webhook_id, { kind: 'switch-secret', serviceId: service_id, at: now() }, async client => {
      const { rowCount } = await client.query(SWITCH_SECRET, [webhook_id]);
      if (rowCount === 0) throw new Error(`webhook ${webhook_id} has no next secret`);
    });
  }

  async remove({ service_id, webhook_id }: WebhookKey): Promise<void> {
    await this.#execute(webhook_id, { kind: 'remove', serviceId: service_id, at: now() }, client =>
      client.query(DELETE_SECRET, [webhook_id]),
    );
  }

  /** Calls the listener after this process has enabled a webhook. */
  onEnabled(listener: () => void): void {
    this.#enabledListeners.push(listener);
  }

  #execute(
    webhookId: string,
    command: WebhookCommand,
    write: (client: pg.ClientBase, events: readonly WebhookEvent[]) => Promise<unknown>,
  ): Promise<readonly WebhookEvent[]> {
    return this.transactions.execute({ decider: webhook, streamId: webhookStream(webhookId), command, write });
  }

  #newSecret(webhookId: string): NewSecret & { readonly sealed: string } {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    return { secret, sealed: this.keys.seal(secret, webhookId) };
  }
}

const now = (): string => new Date().toISOString();

async function checkLimit(limit: number, client: pg.ClientBase, serviceId: string): Promise<void> {
  const { rows } = await client.query<{ count: number }>(COUNT_WEBHOOKS, [serviceId]);
  if ((rows[0]?.count ?? 0) >= limit) throw quotaReached('webhooks', limit);
}

/** Holds pending deliveries of a disabled webhook until they are replayed; clears the failures of an enabled one. */
const updateDeliveries =
  (webhookId: string) =>
  async (client: pg.ClientBase, events: readonly WebhookEvent[]): Promise<void> => {
    const types = new Set(events.map(({ type }) => type));
    if (types.has('webhook-dispatch.webhook-disabled.v1')) await client.query(HOLD_PENDING_DELIVERIES, [webhookId]);
    if (types.has('webhook-dispatch.webhook-enabled.v1')) await client.query(CLEAR_FAILURES, [webhookId]);
  };
