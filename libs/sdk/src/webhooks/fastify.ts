import { receiveWebhook, type WebhookReceiver } from './receive.js';

interface FastifyRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
}

interface FastifyReply {
  code(status: number): { send(text: string): unknown };
}

type Done = (error: Error | null, body?: unknown) => void;

interface FastifyInstance {
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer' },
    // biome-ignore lint/suspicious/noExplicitAny: the types of Fastify are generic in the request
    parser: (request: any, body: any, done: Done) => void,
  ): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the types of Fastify are generic in request and reply
  post(path: string, handler: (request: any, reply: any) => Promise<unknown>): unknown;
}

export interface FastifyWebhook extends WebhookReceiver {
  /** The path of the route: `/webhooks/postern`. */
  readonly path: string;
}

/**
 * A plugin of Fastify: `app.register(posternWebhook({ path: '/webhooks/postern', secret, onEvent }))`. It keeps the raw
 * body in its own scope; other routes parse JSON as before.
 */
export const posternWebhook =
  ({ path, ...receiver }: FastifyWebhook) =>
  async (fastify: FastifyInstance): Promise<void> => {
    fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    fastify.post(path, async ({ headers, body }: FastifyRequest, reply: FastifyReply) => {
      const raw = body instanceof Uint8Array ? body : new Uint8Array();
      const { status, text } = await receiveWebhook(receiver, raw, headers);
      return reply.code(status).send(text);
    });
  };
