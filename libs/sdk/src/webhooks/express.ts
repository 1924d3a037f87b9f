import { PosternError } from '../errors.js';
import { receiveWebhook, type WebhookReceiver } from './receive.js';

interface ExpressRequest extends AsyncIterable<unknown> {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
}

interface ExpressResponse {
  status(code: number): { send(text: string): unknown };
}

/** A webhook body is far smaller. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * A handler of Express: `app.post('/webhooks/postern', posternWebhook({ secret, onEvent }))`. Register it before
 * `express.json()`, or use `express.raw({ type: 'application/json' })` on its path, because it needs the raw body.
 */
export const posternWebhook =
  (receiver: WebhookReceiver) =>
  async (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void): Promise<void> => {
    try {
      const body = await rawBodyOf(request);
      const { status, text } = await receiveWebhook(receiver, body, request.headers);
      response.status(status).send(text);
    } catch (error) {
      next(error);
    }
  };

const rawBodyOf = async (request: ExpressRequest): Promise<string | Uint8Array> => {
  const { body } = request;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body !== undefined) {
    throw new PosternError('The body was parsed before the webhook. Register posternWebhook before express.json().');
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Uint8Array)) throw new PosternError('The request must not have an encoding set.');
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new PosternError('The body is larger than the body of a webhook.');
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
};
