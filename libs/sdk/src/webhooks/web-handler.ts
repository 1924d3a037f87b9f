import { receiveWebhook, type WebhookReceiver } from './receive.js';

/** The part of `Request` that a handler needs. */
export interface WebRequest {
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A handler for everything that has `Request` and `Response`: Next.js, Hono, Deno, Bun and edge runtimes. */
export const webhookHandler =
  (receiver: WebhookReceiver) =>
  async (request: WebRequest): Promise<Response> => {
    const body = new Uint8Array(await request.arrayBuffer());
    const { status, text } = await receiveWebhook(receiver, body, request.headers);
    return new Response(status === 204 ? null : text, { status });
  };
