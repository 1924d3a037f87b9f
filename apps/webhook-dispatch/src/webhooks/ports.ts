import type { OutcomeKind } from '@postern/contracts';
import type { WebhookChanges } from './webhook.js';

/** Decides which webhook URLs are accepted. */
export abstract class WebhookUrls {
  /** Returns the URL that requests will use. Refuses `invalid_url` with the reason. */
  abstract accept(url: string): Promise<string>;
}

export interface NewSecret {
  /** Shown to the owner once; starts with `whsec_`. */
  readonly secret: string;
}

/** Identifies a webhook of a service. */
export interface WebhookKey {
  readonly service_id: string;
  readonly webhook_id: string;
}

export interface NewWebhook extends WebhookKey {
  readonly url: string;
  readonly events: readonly OutcomeKind[];
}

/**
 * Writes webhooks: events, secret and pending deliveries in one transaction, shown by the read model afterwards.
 * Secrets are encrypted and never part of an event. Refuses `webhook_not_found`, also for other services' webhooks.
 */
export abstract class WebhookRepository {
  /** Refuses `quota_reached` above the limit, across all replicas. */
  abstract create(webhook: NewWebhook, limit: number): Promise<NewSecret>;
  /** Disabling holds pending deliveries; enabling clears the recorded failures. */
  abstract change(key: WebhookKey, changes: WebhookChanges): Promise<void>;
  /** Disables a webhook that keeps failing; does nothing if it is already disabled or removed. */
  abstract disable(webhookId: string, reason: string): Promise<void>;
  /** Generates the next secret; the current one keeps signing. */
  abstract rotateSecret(key: WebhookKey): Promise<NewSecret>;
  /** Activates the next secret; refuses `no_next_secret`. */
  abstract switchSecret(key: WebhookKey): Promise<void>;
  abstract remove(key: WebhookKey): Promise<void>;
  /** Calls the listener after this process has enabled a webhook. */
  abstract onEnabled(listener: () => void): void;
}
