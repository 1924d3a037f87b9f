import type { OutcomeKind } from '@postern/contracts';

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
  readonly workspace_id: string;
  readonly url: string;
  readonly events: readonly OutcomeKind[];
  readonly rate_limit: number | null;
  readonly ordered: boolean;
}
