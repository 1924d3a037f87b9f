import { createHash } from 'node:crypto';
import { authenticateSession, getMembership, Refusal } from '@postern/contracts';
import { ALL_REQUESTS, type FakeServices } from './fake-services.js';
import type { GatewayUnderTest } from './gateway-under-test.js';
import { call } from './http.js';
import { replyOf } from './replies.js';

export const TOKEN = 'a-session-token';
export const WORKSPACE = '0198c9f0-0000-7000-8000-000000000001';
export const USER = '0198c9f0-0000-7000-8000-000000000002';
export const bearer = { authorization: `Bearer ${TOKEN}` };

/** Accepts the session of `TOKEN`, and replies to every contract with a sample of its schema. */
export const knowSession = (services: FakeServices): void => {
  services.reset();
  for (const contract of ALL_REQUESTS) services.on(contract, () => replyOf(contract));
  services.on(getMembership, () => ({ role: 'owner' as const }));
  services.on(authenticateSession, ({ token_hash }) => {
    if (token_hash !== createHash('sha256').update(TOKEN).digest('hex')) {
      throw new Refusal('session_invalid', 'Sign in again.');
    }
    return {
      user_id: USER,
      email: 'owner@example.com',
      operator: false,
      role: 'owner' as const,
      workspace_id: WORKSPACE,
    };
  });
};

/** Calls the dashboard API, with the session unless other headers are given. */
export const callDashboard = (
  gateway: GatewayUnderTest,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = bearer,
) => call(method, `${gateway.url}/dashboard/api${path}`, { headers, ...(body === undefined ? {} : { body }) });
