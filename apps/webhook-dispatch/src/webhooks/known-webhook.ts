import { Refusal } from '@postern/contracts';
import type { WebhookDirectory, WebhookRow } from '../deliveries/ports.js';

/** @throws the refusal `webhook_not_found`, also for what belongs to another service. */
export const knownWebhook = async (
  webhooks: WebhookDirectory,
  { service_id, webhook_id }: { readonly service_id: string; readonly webhook_id: string },
): Promise<WebhookRow> => {
  const known = await webhooks.find(service_id, webhook_id);
  if (!known) throw new Refusal('webhook_not_found', 'there is no such webhook');
  return known;
};
