import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  authenticateApiKey,
  createWebhookListener,
  WEBHOOK_LISTENER_EXAMPLES as EXAMPLES,
  Refusal,
  readWebhookListener,
  removeWebhookListener,
} from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { acceptEmails, ID, KEY, refused } from '../testing/email-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';

const LISTENER = EXAMPLES.created.id;
const OF_LISTENER = { service_id: ID, listener_id: LISTENER };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  acceptEmails(gateway.services);
  gateway.services.on(createWebhookListener, () => EXAMPLES.created);
  gateway.services.on(readWebhookListener, () => ({ events: [...EXAMPLES.events.events] }));
  gateway.services.on(removeWebhookListener, () => ({}));
});

const send = (method: string, path = '', key = KEY) =>
  call(method, `${gateway.url}/webhook-listeners${path}`, { headers: { 'api-key': key } });

describe('a listener of the key of an email service', () => {
  it('keeps the events of that service, and is read and deleted with the key alone', async () => {
    const created = await send('POST');
    expect([created.status, created.body]).toEqual([201, EXAMPLES.created]);
    expect(gateway.services.requestsOf(createWebhookListener)).toEqual([{ service_id: ID }]);

    const read = await send('GET', `/${LISTENER}/events?after=3&wait_s=5`);
    expect([read.status, read.body]).toEqual([200, EXAMPLES.events]);
    expect(gateway.services.requestsOf(readWebhookListener)).toEqual([{ ...OF_LISTENER, after: 3, wait_s: 5 }]);

    const removed = await send('DELETE', `/${LISTENER}`);
    expect([removed.status, removed.body]).toEqual([200, { id: LISTENER, deleted: true }]);
    expect(gateway.services.requestsOf(removeWebhookListener)).toEqual([OF_LISTENER]);
  });

  it.each([
    ['POST', ''],
    ['GET', `/${LISTENER}/events`],
    ['DELETE', `/${LISTENER}`],
  ])('is refused to a revoked key: %s', async (method, path) => {
    gateway.services.on(authenticateApiKey, refused(new Refusal('api_key_invalid', 'The API key is not valid.')));
    expect((await send(method, path)).status).toBe(401);
    for (const contract of [createWebhookListener, readWebhookListener, removeWebhookListener])
      expect(gateway.services.requestsOf(contract)).toEqual([]);
  });

  it.each(['after=-1', 'wait_s=11', 'wait=1'])('is not read with ?%s', async query =>
    expect((await send('GET', `/${LISTENER}/events?${query}`)).status).toBe(400),
  );
});

it('reads of listeners are in the log of requests only if they fail', async () => {
  const logged = () => gateway.services.logged.filter(({ path }) => path.endsWith('/events'));
  await send('GET', `/${LISTENER}/events`);
  gateway.services.on(readWebhookListener, refused(new Refusal('listener_not_found', 'There is no such listener.')));
  await send('GET', `/${LISTENER}/events`);
  await waitFor(() => logged().some(({ code }) => code === 'listener_not_found'), { describe: 'the logged request' });
  expect(logged().filter(({ status }) => status < 400)).toEqual([]);
});
