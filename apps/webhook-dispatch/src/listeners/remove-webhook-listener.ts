import { type ReplyOf, type RequestOf, removeWebhookListener } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ListenerRepository } from './listener-repository.js';

/** Deletes a listener with the events that it has not read. */
@Handles(removeWebhookListener)
export class RemoveWebhookListener {
  constructor(private readonly listeners: ListenerRepository) {}

  async execute(request: RequestOf<typeof removeWebhookListener>): Promise<ReplyOf<typeof removeWebhookListener>> {
    await this.listeners.remove(request);
    return {};
  }
}
