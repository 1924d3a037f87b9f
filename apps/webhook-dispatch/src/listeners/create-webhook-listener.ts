import { createWebhookListener, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ListenerRepository } from './listener-repository.js';

/** Creates a listener, which gets the events that follow. */
@Handles(createWebhookListener)
export class CreateWebhookListener {
  constructor(private readonly listeners: ListenerRepository) {}

  async execute({
    service_id,
  }: RequestOf<typeof createWebhookListener>): Promise<ReplyOf<typeof createWebhookListener>> {
    const { id, expiresAt } = await this.listeners.create(service_id);
    return { id, expires_at: expiresAt.toISOString() };
  }
}
