import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { type UserEvent, user } from './user.js';

const given = specificationOf(user);
const at = '2026-01-02T03:04:05.678Z';

const registered: UserEvent = {
  type: 'platform-management.user-registered.v1',
  data: { user_id: 'ada', email: 'ada@example.com', operator: true, at },
};
const joined: UserEvent = {
  type: 'platform-management.user-joined-workspace.v1',
  data: { user_id: 'ada', workspace_id: 'default', at },
};

describe('a user', () => {
  it('is registered', () =>
    given().when({ kind: 'register', userId: 'ada', email: 'ada@example.com', operator: true, at }).yields(registered));

  it('joins a workspace', () =>
    given(registered).when({ kind: 'join-workspace', workspaceId: 'default', at }).yields(joined));

  it('joins a workspace once', () =>
    given(registered, joined).when({ kind: 'join-workspace', workspaceId: 'default', at }).yields());

  it('creates at most ten workspaces', () => {
    const joinedAlready = Array.from({ length: 10 }, (_, n) => ({
      ...joined,
      data: { ...joined.data, workspace_id: `${n}` },
    }));
    const create = { kind: 'create-workspace', workspaceId: 'default', at } as const;
    given(registered, ...joinedAlready.slice(1))
      .when(create)
      .yields(joined);
    given(registered, ...joinedAlready)
      .when(create)
      .refuses('quota_reached', 'workspaces');
  });

  it('changes the password, which the event does not contain', () =>
    given(registered)
      .when({ kind: 'change-password', at })
      .yields({ type: 'platform-management.password-changed.v1', data: { user_id: 'ada', at } }));

  it('must exist', () => {
    given().when({ kind: 'join-workspace', workspaceId: 'default', at }).refuses('user_not_found');
    given().when({ kind: 'change-password', at }).refuses('user_not_found');
  });

  foldsEveryFixture(join(import.meta.dirname, 'fixtures/user'), user);
});
