import { describe, expect, it } from '@jest/globals';
import { answerOf, type Mistake } from './mistake.js';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const shop = await world.sender('Mistakes in calls of the dashboard');

const UNKNOWN_ID = '0198f3a0-0000-7000-8000-000000000000';

describe('an invalid call of the dashboard API is answered with its status, code and message', () => {
  it.each<Mistake>([
    [
      'no session',
      () => world.call('GET', '/dashboard/api/me'),
      401,
      'session_missing',
      'Sign in first. The request has no session token.',
    ],
    [
      'another’s email service',
      () => world.callDashboardApi('GET', `/email-services/${UNKNOWN_ID}`),
      404,
      'service_not_found',
      'There is no such email service.',
    ],
    [
      'a webhook that is not https',
      () => world.callDashboardApi('POST', `${shop.path}/webhooks`, { url: 'ftp://x.test/', events: ['opened'] }),
      400,
      'invalid_url',
      'url: must start with https:// or http://.',
    ],
  ])('%s', async (_, call, status, code, message) =>
    expect(await answerOf(call)).toEqual([status, code, { error: message }]),
  );
});
