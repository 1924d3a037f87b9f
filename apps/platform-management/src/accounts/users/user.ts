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
      readonly type: 'platform-management.user-workspace-deleted.v1';
      readonly data: { readonly user_id: string; readonly workspace_id: string; readonly at: string };
    }
  | {
      readonly type: 'platform-management.password-changed.v1';
      readonly data: { readonly user_id: string; readonly at: string };
    }
  | {
      readonly type: 'platform-management.second-factor-enabled.v1' | 'platform-management.recovery-codes-renewed.v1';
      readonly data: { readonly user_id: string; readonly at: string };
    }
  | {
      readonly type: 'platform-management.second-factor-disabled.v1';
      readonly data: { readonly user_id: string; readonly actor_id: string; readonly at: string };
    }
  | {
      readonly type: 'platform-management.recovery-code-used.v1';
      readonly data: { readonly user_id: string; readonly left: number; readonly at: string };
    }
  | {
      readonly type: 'platform-management.signed-in-from-new-device.v1';
      readonly data: { readonly user_id: string; readonly device: string | null; readonly at: string };
    }
  | {
      readonly type: 'platform-management.user-disabled.v1' | 'platform-management.user-enabled.v1';
      readonly data: { readonly user_id: string; readonly actor_id: string; readonly at: string };
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
  | {
      readonly kind: 'create-workspace' | 'create-missing-workspace' | 'forget-workspace';
      readonly workspaceId: string;
      readonly at: string;
    }
  | { readonly kind: 'change-password' | 'enable-second-factor' | 'renew-recovery-codes'; readonly at: string }
  | { readonly kind: 'disable-second-factor'; readonly actorId: string; readonly at: string }
  | { readonly kind: 'use-recovery-code'; readonly left: number; readonly at: string }
  | { readonly kind: 'note-new-device'; readonly device: string | undefined; readonly at: string }
  | { readonly kind: 'enable' | 'disable'; readonly actorId: string; readonly at: string };

export interface User {
  readonly id: string | undefined;
  readonly workspaces: readonly string[];
  /** The deletion times of workspaces that the user had created; absent if there are none. */
  readonly deletions?: readonly string[];
  readonly disabled: boolean;
  readonly secondFactor: boolean;
}

/** A user who can sign in. The password hash is in the credentials table, never in an event. */
export const user: Decider<User, UserCommand, UserEvent> = {
  initial: { id: undefined, workspaces: [], disabled: false, secondFactor: false },

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
        requirePlace(state.workspaces.length, deletedWithinADay(state, command.at));
        return user.decide({ ...command, kind: 'join-workspace' }, state);
      case 'create-missing-workspace':
        requirePlace(0, deletedWithinADay(state, command.at));
        return user.decide({ ...command, kind: 'join-workspace' }, state);
      case 'forget-workspace': {
        const { workspaceId: workspace_id, at } = command;
        if (!state.workspaces.includes(workspace_id)) return [];
        const data = { user_id: registered(state), workspace_id, at };
        return [{ type: 'platform-management.user-workspace-deleted.v1', data }];
      }
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
      case 'enable-second-factor':
        if (state.secondFactor) throw new Refusal('second_factor_enabled', 'two-factor authentication is already on');
        return [
          {
            type: 'platform-management.second-factor-enabled.v1',
            data: { user_id: registered(state), at: command.at },
          },
        ];
      case 'disable-second-factor': {
        const data = { user_id: withSecondFactor(state), actor_id: command.actorId, at: command.at };
        return [{ type: 'platform-management.second-factor-disabled.v1', data }];
      }
      case 'renew-recovery-codes': {
        const data = { user_id: withSecondFactor(state), at: command.at };
        return [{ type: 'platform-management.recovery-codes-renewed.v1', data }];
      }
      case 'use-recovery-code': {
        const data = { user_id: withSecondFactor(state), left: command.left, at: command.at };
        return [{ type: 'platform-management.recovery-code-used.v1', data }];
      }
      case 'note-new-device': {
        const data = { user_id: registered(state), device: command.device ?? null, at: command.at };
        return [{ type: 'platform-management.signed-in-from-new-device.v1', data }];
      }
      case 'disable':
      case 'enable': {
        const user_id = registered(state);
        if (state.disabled === (command.kind === 'disable')) return [];
        return [
          {
            type: `platform-management.user-${command.kind}d.v1`,
            data: { user_id, actor_id: command.actorId, at: command.at },
          },
        ];
      }
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'platform-management.user-registered.v1':
        return { ...state, id: event.data.user_id };
      case 'platform-management.user-joined-workspace.v1':
        return { ...state, workspaces: [...state.workspaces, event.data.workspace_id] };
      case 'platform-management.user-workspace-deleted.v1':
        return {
          ...state,
          workspaces: state.workspaces.filter(id => id !== event.data.workspace_id),
          deletions: [...(state.deletions ?? []), event.data.at],
        };
      case 'platform-management.user-disabled.v1':
        return { ...state, disabled: true };
      case 'platform-management.user-enabled.v1':
        return { ...state, disabled: false };
      case 'platform-management.second-factor-enabled.v1':
        return { ...state, secondFactor: true };
      case 'platform-management.second-factor-disabled.v1':
        return { ...state, secondFactor: false };
      default:
        return state;
    }
  },
};

const DAY_MS = 24 * 3_600_000;

/** Deleted workspaces count for a day, because otherwise a deletion would reset the daily limits of the workspace. */
const deletedWithinADay = ({ deletions = [] }: User, at: string): number =>
  deletions.filter(deletedAt => Date.parse(deletedAt) > Date.parse(at) - DAY_MS).length;

const requirePlace = (existing: number, deleted: number): void => {
  const limit = WORKSPACES_PER_USER;
  if (existing + deleted < limit) return;
  if (deleted === 0) throw quotaReached('workspaces', limit);
  const message = `a user can create ${limit} workspaces, and deleted ones count for a day; try again tomorrow`;
  throw new Refusal('quota_reached', message, { quota: 'workspaces', limit });
};

const registered = (state: User): string => {
  if (state.id === undefined) throw new Refusal('user_not_found', 'there is no such user');
  return state.id;
};

const withSecondFactor = (state: User): string => {
  if (!state.secondFactor) throw new Refusal('second_factor_not_enabled', 'two-factor authentication is off');
  return registered(state);
};

export const userStream = (id: string): string => `user-${id}`;
