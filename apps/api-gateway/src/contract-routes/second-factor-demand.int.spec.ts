import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as contracts from '@postern/contracts';
import {
  authenticateSession,
  BASE_PATHS,
  endSession,
  getMe,
  isRequestContract,
  switchWorkspace,
} from '@postern/contracts';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';
import { admitAll, signInAs } from '../testing/platform-call.js';

const ID = '0198c9f0-0000-7000-8000-000000000009';
const ALLOWED = [
  'DELETE /dashboard/api/session',
  'GET /dashboard/api/me',
  'GET /dashboard/api/me/second-factor',
  'POST /dashboard/api/me/second-factor',
  'POST /dashboard/api/me/second-factor/confirm',
];

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Every route of the dashboard API, including session routes without a contract. */
const ROUTES: readonly Route[] = [
  ...Object.values<unknown>(contracts)
    .filter(isRequestContract)
    .flatMap(({ http }) => http)
    .flatMap(({ method, path, access }) =>
      [access]
        .flat()
        .filter(one => one !== 'platform-key' && one !== 'anyone')
        .map(one => ({ method, path: `${BASE_PATHS[one]}${path.replace(/\{\w+\}/g, ID)}` })),
    ),
  { method: 'DELETE', path: '/dashboard/api/session' },
  { method: 'GET', path: '/dashboard/api/audit-log' },
  { method: 'GET', path: `/dashboard/api/web-services/${ID}/logs/stream` },
  { method: 'GET', path: `/dashboard/api/web-services/${ID}/runs/${ID}/logs/stream` },
];
const titleOf = ({ method, path }: Route) => `${method} ${path}`;
const titled = (isAllowed: boolean) =>
  ROUTES.filter(route => ALLOWED.includes(titleOf(route)) === isAllowed).map(route => [titleOf(route), route] as const);

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  admitAll(gateway.services);
  signInAs(gateway.services, { role: 'owner', operator: true, second_factor_missing: true });
});

const send = ({ method, path }: Route) =>
  call(method, `${gateway.url}${path}`, { headers: { authorization: `Bearer ${'x'.repeat(43)}` } });

describe('the session of a user who lacks a required second factor', () => {
  it.each(titled(false))('may not call %s', async (_, route) => {
    const answer = await send(route);
    expect([answer.status, answer.headers['error-code']]).toEqual([403, 'second_factor_missing']);
    const requested = gateway.services.received.map(({ contract }) => contract);
    expect(requested.filter(name => name !== 'record-audit-entry')).toEqual([authenticateSession.name]);
  });

  it.each(titled(true))('may call %s', async (_, route) => {
    expect((await send(route)).headers['error-code']).not.toBe('second_factor_missing');
    expect(
      titled(true)
        .map(([title]) => title)
        .sort(),
    ).toEqual(ALLOWED);
  });

  it('gets an error with the remedy', async () => {
    const answer = await send({ method: 'GET', path: '/dashboard/api/projects' });
    expect(answer.body).toEqual({
      error: expect.stringMatching(/^Two-factor authentication is required.*under Account/),
    });
  });

  it('can sign out and read its user', async () => {
    await send({ method: 'DELETE', path: '/dashboard/api/session' });
    await send({ method: 'GET', path: '/dashboard/api/me' });
    const requested = gateway.services.received.map(({ contract }) => contract);
    expect(requested).toEqual(expect.arrayContaining([endSession.name, getMe.name]));
    expect(requested).not.toContain(switchWorkspace.name);
  });
});
