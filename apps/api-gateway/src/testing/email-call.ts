import { createHash } from 'node:crypto';
import { authenticateApiKey, type Refusal, sendEmail } from '@postern/contracts';
import { type Dispatcher, request } from 'undici';
import type { FakeServices } from './fake-services.js';
import type { GatewayUnderTest } from './gateway-under-test.js';

export const KEY = `em_live_${'a1B2'.repeat(10)}xyz`;
export const KEY_HASH = createHash('sha256').update(KEY).digest('hex');
export const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
export const RECORD = {
  id: ID,
  status: 'sent' as const,
  mode: 'production' as const,
  from: 'Ada <ada@example.com>',
  to: ['grace@example.org'],
  message: 'Handed to the relay.',
};
export const EMAIL = {
  from: 'Ada <ada@example.com>',
  to: ['grace@example.org'],
  subject: 'Hello',
  text: 'Hello, Grace.',
};
export const RATE_LIMIT = { limit: 600, remaining: 599, reset_s: 42 };

/** Accepts every key and every email. */
export const acceptEmails = (services: FakeServices): void => {
  services.reset();
  services.on(authenticateApiKey, () => ({ service_id: ID }));
  services.on(sendEmail, () => ({ email: RECORD, rate_limit: RATE_LIMIT, replayed: false }));
};

export const postEmail = async (
  gateway: GatewayUnderTest,
  body: unknown = EMAIL,
  headers: Record<string, string> = {},
  dispatcher?: Dispatcher,
) => {
  const answer = await request(`${gateway.url}/emails`, {
    method: 'POST',
    headers: { 'api-key': KEY, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    ...(dispatcher && { dispatcher }),
  });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.json() };
};

/** Replies with this refusal. */
export const refused = (refusal: Refusal) => () => {
  throw refusal;
};
