import { createHash } from 'node:crypto';
import {
  admitPlatformCall,
  authenticateSession,
  getMembership,
  type ReplyOf,
  type RequestContract,
} from '@postern/contracts';
import { ALL_REQUESTS, type FakeServices } from './fake-services.js';
import { replyOf } from './replies.js';

export const KEY = `ak_live_${'a1B2'.repeat(10)}xyz`;
export const KEY_HASH = createHash('sha256').update(KEY).digest('hex');
export const bearer = { authorization: `Bearer ${KEY}` };

export const USER = '0198c9f0-0000-7000-8000-000000000002';
export const WORKSPACE = '0198c9f0-0000-7000-8000-000000000001';
export const REPORTED_KEY = {
  id: '0198c9f0-0000-7000-8000-000000000003',
  name: 'CI',
  key_prefix: 'ak_live_a1B2',
  scope: 'write' as const,
  expiry: null,
};
export const RATE_LIMIT = { limit: 30, remaining: 29, reset_s: 2 };

/** Admits every platform call, and replies to every contract with a sample of its schema. */
export const admitAll = (services: FakeServices): void => {
  services.reset();
  for (const contract of ALL_REQUESTS) services.on(contract, () => replyOf(contract));
  services.on(getMembership, () => ({ role: 'owner' as const }));
  services.on(admitPlatformCall, () => ({
    caller: { user_id: USER, workspace_id: WORKSPACE, key: REPORTED_KEY },
    rate_limit: RATE_LIMIT,
  }));
};

/** Makes every session token that of one user, an owner of the workspace. */
export const signInAs = (services: FakeServices, session: Partial<ReplyOf<typeof authenticateSession>>): void => {
  const user = {
    user_id: USER,
    email: 'owner@example.com',
    operator: false,
    role: 'owner' as const,
    workspace_id: WORKSPACE,
  };
  services.on(authenticateSession, () => ({ ...user, ...session }));
};

/** Contract and request of all requests except admissions. */
export const requestsAfterAdmission = (
  services: FakeServices,
): readonly { readonly contract: RequestContract['name']; readonly request: unknown }[] =>
  services.received.filter(({ contract }) => contract !== admitPlatformCall.name);
