import type { Decider } from '@postern/event-sourcing';

export interface ProjectEvent {
  readonly type: 'platform-management.project-created.v1';
  readonly data: {
    readonly project_id: string;
    readonly user_id: string;
    readonly workspace_id: string;
    readonly name: string;
    readonly description: string | null;
    readonly at: string;
  };
}

export interface ProjectCommand {
  readonly kind: 'create';
  readonly projectId: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string | null;
  readonly at: string;
}

export interface Project {
  readonly id: string | undefined;
}

export const projectStream = (projectId: string): string => `project-${projectId}`;

/** What the web services and secrets of one undertaking belong to. It is its creator's. */
export const project: Decider<Project, ProjectCommand, ProjectEvent> = {
  initial: { id: undefined },

  decide: ({ projectId, userId, workspaceId, name, description, at }, state) => {
    if (state.id !== undefined) throw new Error(`the project ${state.id} exists already`);
    return [
      {
        type: 'platform-management.project-created.v1',
        data: { project_id: projectId, user_id: userId, workspace_id: workspaceId, name, description, at },
      },
    ];
  },

  evolve: (_, { data }) => ({ id: data.project_id }),
};
