import { createHmac } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { posternWebhook as expressWebhook } from '@postern/sdk/express';
import { posternWebhook as fastifyWebhook } from '@postern/sdk/fastify';
import { posternWebhook as honoWebhook } from '@postern/sdk/hono';
import { posternWebhook as nextWebhook } from '@postern/sdk/next';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import type { WebhookEvent } from '../api-types.js';

const SECRET = 'whsec_adapters';
const BODY = JSON.stringify({ event: 'opened', subject: 'Grüße ✓', data: {} });
const PATH = '/webhooks/postern';

type Send = (init: { method: string; headers: Record<string, string>; body: string }) => Promise<Response>;
type Start = (onEvent: (event: WebhookEvent) => unknown) => Promise<Send>;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const listening = async (listener: RequestListener): Promise<Send> => {
  const server: Server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return init => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`, init);
};

const receiver = (onEvent: (event: WebhookEvent) => unknown) => ({ secret: SECRET, onEvent, onError: () => {} });

const ADAPTERS: readonly (readonly [string, Start])[] = [
  ['Express', onEvent => listening(express().post(PATH, expressWebhook(receiver(onEvent))))],
  [
    'Express with express.raw()',
    onEvent =>
      listening(
        express()
          .use(express.raw({ type: '*/*' }))
          .post(PATH, expressWebhook(receiver(onEvent))),
      ),
  ],
  [
    'Fastify',
    async onEvent => {
      const app = fastify();
      await app.register(fastifyWebhook({ path: PATH, ...receiver(onEvent) }));
      app.post('/json', async ({ body }) => body);
      await app.listen({ port: 0, host: '127.0.0.1' });
      closing.push(() => app.close());
      return init => fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}${PATH}`, init);
    },
  ],
  [
    'Hono',
    async onEvent => {
      const app = new Hono().post(PATH, honoWebhook(receiver(onEvent)));
      return async init => app.request(PATH, init);
    },
  ],
  [
    'Next.js',
    async onEvent => {
      const POST = nextWebhook(receiver(onEvent));
      return init => POST(new Request(`https://app.example.com${PATH}`, init));
    },
  ],
];

const signed = (body: string, secret = SECRET) => {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  return {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-timestamp': timestamp,
      'x-service-signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
    },
  };
};

describe.each(ADAPTERS)('a webhook with %s', (_, start) => {
  it('passes a signed event on, and answers with 204', async () => {
    const events: WebhookEvent[] = [];
    const send = await start(event => events.push(event));
    expect((await send(signed(BODY))).status).toBe(204);
    expect(events).toEqual([JSON.parse(BODY)]);
  });

  it('answers with 401 if the signature is wrong, and passes nothing on', async () => {
    const events: WebhookEvent[] = [];
    const send = await start(event => events.push(event));
    expect((await send(signed(BODY, 'whsec_other'))).status).toBe(401);
    expect(events).toEqual([]);
  });

  it('answers with 500 if the application fails, so that the event is sent again', async () => {
    const send = await start(() => {
      throw new Error('The database is down.');
    });
    expect((await send(signed(BODY))).status).toBe(500);
  });
});

it('Express reports that the body was parsed before', async () => {
  const send = await listening(
    express()
      .use(express.json())
      .post(PATH, expressWebhook(receiver(() => {}))),
  );
  const answer = await send(signed(BODY));
  expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('before express.json()')]);
});
