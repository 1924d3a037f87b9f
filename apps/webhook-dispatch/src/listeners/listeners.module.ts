import { Module } from '@nestjs/common';
import { CreateWebhookListener } from './create-webhook-listener.js';
import { ListenerRepository } from './listener-repository.js';
import { RemoveWebhookListener } from './remove-webhook-listener.js';
import { WebhookListeners } from './webhook-listeners.js';

/** Events for clients without a reachable webhook endpoint. */
@Module({
  providers: [CreateWebhookListener, RemoveWebhookListener, WebhookListeners, ListenerRepository],
})
export class ListenersModule {}
