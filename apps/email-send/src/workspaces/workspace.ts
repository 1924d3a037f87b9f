import type { Decider } from '@postern/event-sourcing';

interface OfWorkspace {
  readonly workspace_id: string;
  readonly at: string;
}

export type WorkspaceEvent =
  | {
      readonly type: 'email-send.workspace-closed.v1' | 'email-send.workspace-reopened.v1';
      readonly data: OfWorkspace & { readonly closing_id: string };
    }
  | { readonly type: 'email-send.workspace-deletion-learned.v1'; readonly data: OfWorkspace };

export type WorkspaceCommand =
  | {
      readonly kind: 'close';
      readonly workspaceId: string;
      readonly closingId: string;
      /** The number of email services in the workspace. */
      readonly emailServices: number;
      readonly at: string;
    }
  | {
      /** The attempt to delete the workspace with this id has failed. */
      readonly kind: 'reopen';
      readonly workspaceId: string;
      readonly closingId: string;
      readonly at: string;
    }
  | { readonly kind: 'learn-deletion'; readonly workspaceId: string; readonly at: string };

export interface Workspace {
  /** The attempt to delete the workspace that closed it last. */
  readonly closedBy?: string;
  readonly deleted?: true;
}

/**
 * Whether email services may be created in a workspace of platform-management. It is closed before platform-management
 * deletes it, and opened again if that failed.
 */
export const workspace: Decider<Workspace, WorkspaceCommand, WorkspaceEvent> = {
  initial: {},

  decide: (command, { closedBy, deleted }) => {
    const { kind, workspaceId: workspace_id, at } = command;
    if (deleted) return [];
    switch (kind) {
      case 'close': {
        if (command.emailServices > 0) return [];
        return [{ type: 'email-send.workspace-closed.v1', data: { workspace_id, closing_id: command.closingId, at } }];
      }
      case 'reopen': {
        if (closedBy !== command.closingId) return [];
        return [{ type: 'email-send.workspace-reopened.v1', data: { workspace_id, closing_id: closedBy, at } }];
      }
      case 'learn-deletion':
        return [{ type: 'email-send.workspace-deletion-learned.v1', data: { workspace_id, at } }];
    }
  },

  evolve: (_, { type, data }) => {
    switch (type) {
      case 'email-send.workspace-closed.v1':
        return { closedBy: data.closing_id };
      case 'email-send.workspace-reopened.v1':
        return {};
      case 'email-send.workspace-deletion-learned.v1':
        return { deleted: true };
    }
  },
};

export const workspaceStream = (workspaceId: string): string => `workspace-${workspaceId}`;
