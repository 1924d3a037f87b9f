import type { QuotaName, QuotaOverrides } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';
import {
  decideInvitation,
  decideMembers,
  evolveMembers,
  type InviteCommand,
  type MemberCommand,
  type MemberEvent,
  type Members,
  requireOwner,
} from './workspace-members.js';

export interface WorkspaceQuotasChanged {
  readonly type: 'platform-management.workspace-quotas-changed.v1';
  readonly data: {
    readonly workspace_id: string;
    /** All limits that differ from their defaults after the change. */
    readonly limits: QuotaOverrides;
    readonly actor_id: string;
    readonly at: string;
  };
}

export interface WorkspaceCreated {
  readonly type: 'platform-management.workspace-created.v1';
  readonly data: {
    readonly workspace_id: string;
    readonly name: string;
    readonly created_by: string;
    readonly at: string;
  };
}

export interface WorkspaceRenamed {
  readonly type: 'platform-management.workspace-renamed.v1';
  readonly data: {
    readonly workspace_id: string;
    readonly name: string;
    readonly actor_id: string;
    readonly at: string;
  };
}

export interface WorkspaceDeleted {
  readonly type: 'platform-management.workspace-deleted.v1';
  readonly data: { readonly workspace_id: string; readonly actor_id: string; readonly at: string };
}

/** Numbers of the resources that must be deleted before the workspace. */
export interface WorkspaceContents {
  readonly projects: number;
  readonly webServices: number;
  readonly databases: number;
  readonly emailServices: number;
}

export type WorkspaceEvent =
  | WorkspaceCreated
  | WorkspaceRenamed
  | WorkspaceQuotasChanged
  | WorkspaceDeleted
  | MemberEvent;

export type WorkspaceCommand =
  | {
      readonly kind: 'create';
      readonly workspaceId: string;
      readonly name: string;
      readonly createdBy: string;
      readonly at: string;
    }
  | {
      readonly kind: 'set-quotas';
      /** `null` resets a quota to its default. */
      readonly changes: { readonly [Name in QuotaName]?: number | null | undefined };
      readonly actorId: string;
      readonly at: string;
    }
  | { readonly kind: 'rename'; readonly name: string; readonly actorId: string; readonly at: string }
  | { readonly kind: 'delete'; readonly contents: WorkspaceContents; readonly actorId: string; readonly at: string }
  | MemberCommand
  | InviteCommand;

export interface Workspace {
  readonly id: string | undefined;
  /** The role of each member, by the id of the user. */
  readonly members: Members;
  readonly limits: QuotaOverrides;
  readonly deleted?: true;
}

/** A workspace owns email services, projects and databases. Operators set its quotas; owners manage its members. */
export const workspace: Decider<Workspace, WorkspaceCommand, WorkspaceEvent> = {
  initial: { id: undefined, members: {}, limits: {} },

  decide: (command, state) => {
    switch (command.kind) {
      case 'create': {
        const { workspaceId, name, createdBy, at } = command;
        if (state.id !== undefined || state.deleted) return [];
        return [
          {
            type: 'platform-management.workspace-created.v1',
            data: { workspace_id: workspaceId, name, created_by: createdBy, at },
          },
        ];
      }
      case 'rename': {
        const { name, actorId, at } = command;
        if (state.id === undefined) throw workspaceNotFound();
        requireOwner(state.members, actorId);
        const data = { workspace_id: state.id, name, actor_id: actorId, at };
        return [{ type: 'platform-management.workspace-renamed.v1', data }];
      }
      case 'delete':
        return remove(command, state);
      case 'set-quotas':
        return setQuotas(command, state);
      default: {
        if (state.id === undefined) throw workspaceNotFound();
        return command.kind === 'invite-member'
          ? decideInvitation(command, state.id, state.members)
          : decideMembers(command, state.id, state.members);
      }
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'platform-management.workspace-created.v1':
        return { ...state, id: event.data.workspace_id, members: { [event.data.created_by]: 'owner' } };
      case 'platform-management.workspace-quotas-changed.v1':
        return { ...state, limits: event.data.limits };
      case 'platform-management.workspace-renamed.v1':
        return state;
      case 'platform-management.workspace-deleted.v1':
        return { ...workspace.initial, deleted: true };
      default:
        return { ...state, members: evolveMembers(event, state.members) };
    }
  },
};

function setQuotas(
  { changes, actorId, at }: Extract<WorkspaceCommand, { kind: 'set-quotas' }>,
  { id, limits }: Workspace,
): WorkspaceEvent[] {
  if (id === undefined) throw workspaceNotFound();
  const changed = Object.entries(changes).filter(
    ([name, limit]) => limit !== undefined && limit !== (limits[name as QuotaName] ?? null),
  );
  if (changed.length === 0) return [];
  const all = Object.entries({ ...limits, ...Object.fromEntries(changed) });
  return [
    {
      type: 'platform-management.workspace-quotas-changed.v1',
      data: {
        workspace_id: id,
        limits: Object.fromEntries(all.filter(([, limit]) => limit !== null)),
        actor_id: actorId,
        at,
      },
    },
  ];
}

function remove(
  { contents, actorId, at }: Extract<WorkspaceCommand, { kind: 'delete' }>,
  { id, members }: Workspace,
): WorkspaceEvent[] {
  if (id === undefined) throw workspaceNotFound();
  requireOwner(members, actorId);
  if (Object.values(contents).some(count => count > 0)) throw workspaceNotEmpty(contents);
  return [{ type: 'platform-management.workspace-deleted.v1', data: { workspace_id: id, actor_id: actorId, at } }];
}

function workspaceNotEmpty({ projects, webServices, databases, emailServices }: WorkspaceContents): Refusal {
  const counts = [
    [projects, 'project'],
    [webServices, 'web service'],
    [databases, 'database'],
    [emailServices, 'email service'],
  ] as const;
  const left = counts.filter(([count]) => count > 0).map(([count, noun]) => `${count} ${noun}${count > 1 ? 's' : ''}`);
  const list = [left.slice(0, -1).join(', '), ...left.slice(-1)].filter(Boolean).join(' and ');
  const total = projects + webServices + databases + emailServices;
  return new Refusal('workspace_not_empty', `the workspace has ${list}; delete ${total > 1 ? 'them' : 'it'} first`);
}

export const workspaceNotFound = (): Refusal => new Refusal('workspace_not_found', 'there is no such workspace');

export const workspaceStream = (id: string): string => `workspace-${id}`;
