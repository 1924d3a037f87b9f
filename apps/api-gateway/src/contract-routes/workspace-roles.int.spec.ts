import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as contracts from '@postern/contracts';
import {
  BASE_PATHS,
  getMembership,
  isRequestContract,
  Refusal,
  type RouteAccess,
  requiredRole,
  type WorkspaceRole,
} from '@postern/contracts';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';
import { admitAll, signInAs } from '../testing/platform-call.js';

const ID = '0198c9f0-0000-7000-8000-000000000009';
const OF_WORKSPACE: readonly RouteAccess[] = ['session', 'service-owner', 'workspace-member'];

/** Every route that requires more than the role viewer. */
const ROUTES = Object.values<unknown>(contracts)
  .filter(isRequestContract)
  .flatMap(contract => contract.http.map(route => ({ contract, route })))
  .flatMap(({ contract, route }) =>
    [route.access]
      .flat()
      .filter(access => OF_WORKSPACE.includes(access))
      .map(access => ({
        contract,
        method: route.method,
        path: `${BASE_PATHS[access]}${route.path.replace(/\{\w+\}/g, ID)}`,
        role: requiredRole(route),
      })),
  );

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => admitAll(gateway.services));

const act = (role: WorkspaceRole): void => {
  signInAs(gateway.services, { role });
  gateway.services.on(getMembership, () => ({ role }));
};
const send = ({ method, path }: { readonly method: string; readonly path: string }) =>
  call(method, `${gateway.url}${path}`, { headers: { authorization: `Bearer ${'x'.repeat(43)}` } });

const refusedTo = (role: WorkspaceRole, required: readonly WorkspaceRole[]) =>
  ROUTES.filter(route => required.includes(route.role)).map(
    route => [`a ${role} at ${route.method} ${route.path} (${route.contract.name})`, role, route] as const,
  );

describe('the gateway refuses', () => {
  it.each([...refusedTo('viewer', ['member', 'owner']), ...refusedTo('member', ['owner'])])(
    '%s',
    async (_, role, route) => {
      act(role);
      const answer = await send(route);
      expect([answer.status, answer.headers['error-code']]).toEqual([403, 'role_insufficient']);
      expect(gateway.services.received.map(({ contract }) => contract)).not.toContain(route.contract.name);
    },
  );

  it('a user outside the workspace of the path, as if it did not exist', async () => {
    signInAs(gateway.services, { role: 'owner' });
    gateway.services.on(getMembership, () => {
      throw new Refusal('workspace_not_found', 'there is no such workspace');
    });
    expect(await send({ method: 'GET', path: `/dashboard/api/workspaces/${ID}/members` })).toMatchObject({
      status: 404,
      body: { error: 'There is no such workspace.' },
    });
  });
});

describe('the gateway admits', () => {
  it.each(
    (['viewer', 'member', 'owner'] as const).flatMap(role =>
      ROUTES.filter(route => route.role === role).map(
        route => [`a ${role} at ${route.method} ${route.path} (${route.contract.name})`, role, route] as const,
      ),
    ),
  )('%s', async (_, role, route) => {
    act(role);
    expect((await send(route)).status).not.toBe(403);
  });

  it('a viewer to every read-only route except those of keys', () =>
    expect(
      ROUTES.filter(({ method, role }) => method === 'GET' && role !== 'viewer').map(({ path }) =>
        path.replace(ID, '{id}'),
      ),
    ).toEqual([
      '/dashboard/api/management-keys',
      '/dashboard/api/notification-targets',
      '/dashboard/api/platform-keys',
      '/dashboard/api/platform-keys/{id}/requests',
    ]));

  it('a viewer to no other route except those of their own account, and previews', () =>
    expect(
      ROUTES.filter(({ method, role }) => method !== 'GET' && role === 'viewer')
        .map(({ method, path }) => `${method} ${path.replace('/dashboard/api', '').replaceAll(ID, '{id}')}`)
        .sort(),
    ).toEqual([
      'DELETE /sessions',
      'DELETE /sessions/{id}',
      'PATCH /me',
      'POST /email-services/{id}/templates/{id}/preview',
      'POST /invitations/{id}/accept',
      'POST /invitations/{id}/decline',
      'POST /me/password',
      'POST /me/second-factor',
      'POST /me/second-factor/confirm',
      'POST /me/second-factor/disable',
      'POST /me/second-factor/recovery-codes',
      'POST /session/workspace',
      'POST /users',
      'POST /workspaces',
      'POST /workspaces/{id}/leave',
    ]));
});
