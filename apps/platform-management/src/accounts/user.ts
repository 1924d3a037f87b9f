import { quotaReached, WORKSPACES_PER_USER } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

export type UserEvent =
  | {
      readonly type: 'platform-management.user-registered.v1';
      readonly data: {
        readonly user_id: string;
        readonly email: string;
        readonly operator: boolean;
        readonly at: string;
      };
    }
  | {
      readonly type: 'platform-management.user-joined-workspace.v1';
      readonly data: { readonly user_id: string; readonly workspace_id: string; readonly at: string };
    }
  | {
      readonly type: 'platform-management.password-changed.v1';
      readonly data: { readonly user_id: string; readonly at: string };
    };

export type UserCommand =
  | {
      readonly kind: 'register';
      readonly userId: string;
      readonly email: string;
      readonly operator: boolean;
      readonly at: string;
    }
  | { readonly kind: 'join-workspace'; readonly workspaceId: string; readonly at: string }
  | { readonly kind: 'create-workspace'; readonly workspaceId: string; readonly at: string }
  | { readonly kind: 'change-password'; readonly at: string };

export interface User {
  readonly id: string | undefined;
  readonly workspaces: readonly string[];
}

/** A user who can log in. The password hash is in the credentials table, never in an event. */
export const user: Decider<User, UserCommand, UserEvent> = {
  initial: { id: undefined, workspaces: [] },

  decide: (command, state) => {
    switch (command.kind) {
      case 'register':
        return [
          {
            type: 'platform-management.user-registered.v1',
            data: { user_id: command.userId, email: command.email, operator: command.operator, at: command.at },
          },
        ];
      case 'create-workspace':
        if (state.workspaces.length >= WORKSPACES_PER_USER) throw quotaReached('workspaces', WORKSPACES_PER_USER);
        return user.decide({ ...command, kind: 'join-workspace' }, state);
      case 'join-workspace':
        return state.workspaces.includes(command.workspaceId)
          ? []
          : [
              {
                type: 'platform-management.user-joined-workspace.v1',
                data: { user_id: registered(state), workspace_id: command.workspaceId, at: command.at },
              },
            ];
      case 'change-password':
        return [
          { type: 'platform-management.password-changed.v1', data: { user_id: registered(state), at: command.at } },
        ];
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'platform-management.user-registered.v1':
        return { ...state, id: event.data.user_id };
      case 'platform-management.user-joined-workspace.v1':
        return { ...state, workspaces: [...state.workspaces, event.data.workspace_id] };
      case 'platform-management.password-changed.v1':
        return state;
    }
  },
};

const registered = (state: User): string => {
  if (state.id === undefined) throw new Refusal('user_not_found', 'there is no such user');
  return state.id;
};

export const userStream = (id: string): string => `user-${id}`;
