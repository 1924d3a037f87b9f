import type { WebhookReceiver } from './receive.js';
import { type WebRequest, webhookHandler } from './web-handler.js';

/** A route handler of the App Router: `export const POST = posternWebhook({ secret, onEvent })`. */
export const posternWebhook = (receiver: WebhookReceiver): ((request: WebRequest) => Promise<Response>) =>
  webhookHandler(receiver);
