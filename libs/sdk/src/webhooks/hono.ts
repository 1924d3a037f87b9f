import type { WebhookReceiver } from './receive.js';
import { type WebRequest, webhookHandler } from './web-handler.js';

/** A handler of Hono: `app.post('/webhooks/postern', posternWebhook({ secret, onEvent }))`. */
export const posternWebhook = (
  receiver: WebhookReceiver,
): ((context: { readonly req: { readonly raw: WebRequest } }) => Promise<Response>) => {
  const handle = webhookHandler(receiver);
  return ({ req }) => handle(req.raw);
};
