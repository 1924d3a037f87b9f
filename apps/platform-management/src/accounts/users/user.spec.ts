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

  it('can replace a deleted workspace after a day', () => {
    const joinedAlready = Array.from({ length: 10 }, (_, n) => ({
      ...joined,
      data: { ...joined.data, workspace_id: `${n}` },
    }));
    const forgotten: UserEvent = {
      type: 'platform-management.user-workspace-deleted.v1',
      data: { user_id: 'ada', workspace_id: '3', at },
    };
    const forget = { kind: 'forget-workspace', workspaceId: '3', at } as const;
    given(registered, ...joinedAlready)
      .when(forget)
      .yields(forgotten);
    given(registered, ...joinedAlready, forgotten)
      .when(forget)
      .yields();
    const create = { kind: 'create-workspace', workspaceId: 'default' } as const;
    given(registered, ...joinedAlready, forgotten)
      .when({ ...create, at: '2026-01-03T03:04:05.677Z' })
      .refuses('quota_reached', 'workspaces');
    const later = '2026-01-03T03:04:05.678Z';
    given(registered, ...joinedAlready, forgotten)
      .when({ ...create, at: later })
      .yields({ ...joined, data: { ...joined.data, at: later } });
  });

  it('without a workspace gets one, unless ten were deleted within a day', () => {
    const all = Array.from({ length: 10 }, (_, n) => ({ ...joined, data: { ...joined.data, workspace_id: `${n}` } }));
    const forgotten = all.map(
      ({ data }): UserEvent => ({ type: 'platform-management.user-workspace-deleted.v1', data }),
    );
    const create = { kind: 'create-missing-workspace', workspaceId: 'default', at } as const;
    given(registered, ...all)
      .when(create)
      .yields(joined);
    given(registered, ...all, ...forgotten.slice(1))
      .when(create)
      .yields(joined);
    given(registered, ...all, ...forgotten)
      .when(create)
      .refuses('quota_reached');
  });

  it('changes the password, and the event does not contain it', () =>
    given(registered)
      .when({ kind: 'change-password', at })
      .yields({ type: 'platform-management.password-changed.v1', data: { user_id: 'ada', at } }));

  it('is disabled by an operator, and enabled again', () => {
    const disabled: UserEvent = {
      type: 'platform-management.user-disabled.v1',
      data: { user_id: 'ada', actor_id: 'root', at },
    };
    const enabled: UserEvent = { ...disabled, type: 'platform-management.user-enabled.v1' };
    given(registered).when({ kind: 'disable', actorId: 'root', at }).yields(disabled);
    given(registered, disabled).when({ kind: 'disable', actorId: 'root', at }).yields();
    given(registered, disabled).when({ kind: 'enable', actorId: 'root', at }).yields(enabled);
    given(registered, disabled, enabled).when({ kind: 'enable', actorId: 'root', at }).yields();
  });

  it('must exist', () => {
    given().when({ kind: 'disable', actorId: 'root', at }).refuses('user_not_found');
    given().when({ kind: 'join-workspace', workspaceId: 'default', at }).refuses('user_not_found');
    given().when({ kind: 'change-password', at }).refuses('user_not_found');
  });

  foldsEveryFixture(join(import.meta.dirname, 'fixtures/user'), user);
});
