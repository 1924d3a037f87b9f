import { describe, expect, it } from '@jest/globals';
import { requiredRole } from './http-route.js';
import { includesRole, WORKSPACE_ROLES } from './workspace-roles.js';

describe('a role', () => {
  it('includes itself and the roles below it', () => {
    const included = WORKSPACE_ROLES.map(role => WORKSPACE_ROLES.filter(required => includesRole(role, required)));
    expect(included).toEqual([['viewer'], ['viewer', 'member'], ['viewer', 'member', 'owner']]);
  });
});

describe('a route that declares no role', () => {
  it.each([
    ['GET', '/projects/{project_id}', 'viewer'],
    ['POST', '/projects', 'member'],
    ['PATCH', '/projects/{project_id}', 'member'],
    ['DELETE', '/projects/{project_id}', 'owner'],
    ['DELETE', '/email-services/{service_id}/recipients/{recipient_id}', 'member'],
  ] as const)('%s %s needs a %s', (method, path, role) => expect(requiredRole({ method, path })).toBe(role));
});
