import type { Decider } from '@postern/event-sourcing';
import { projectNotEmpty, projectNotFound } from './refusals.js';

interface OfProject {
  readonly project_id: string;
  readonly at: string;
}

export interface ProjectChanges {
  readonly name?: string;
  readonly description?: string | null;
}

export type ProjectEvent =
  | {
      readonly type: 'platform-management.project-created.v1';
      readonly data: OfProject & {
        readonly user_id: string;
        readonly workspace_id: string;
        readonly name: string;
        readonly description: string | null;
      };
    }
  | {
      readonly type: 'platform-management.project-changed.v1';
      readonly data: OfProject & { readonly changes: ProjectChanges };
    }
  | { readonly type: 'platform-management.project-deleted.v1'; readonly data: OfProject };

interface CreateProject {
  readonly kind: 'create';
  readonly projectId: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string | null;
  readonly at: string;
}

/** `webServices` is the current number of web services of the project. */
export type ProjectCommand =
  | CreateProject
  | { readonly kind: 'change'; readonly changes: ProjectChanges; readonly at: string }
  | { readonly kind: 'delete'; readonly webServices: number; readonly at: string };

export interface Project {
  readonly id: string | undefined;
  readonly name?: string;
  readonly description?: string | null;
  readonly deleted?: true;
}

export const PROJECT_EVENT_TYPES = [
  'platform-management.project-created.v1',
  'platform-management.project-changed.v1',
  'platform-management.project-deleted.v1',
] as const satisfies readonly ProjectEvent['type'][];

export const projectStream = (projectId: string): string => `project-${projectId}`;

/** Groups web services and secrets. It belongs to its creator. */
export const project: Decider<Project, ProjectCommand, ProjectEvent> = {
  initial: { id: undefined },

  decide: (command, state) => {
    if (command.kind === 'create') return create(command, state);
    if (state.id === undefined || state.deleted) throw projectNotFound();
    const { at } = command;
    if (command.kind === 'change') return change(command.changes, state, at);
    if (command.webServices > 0) throw projectNotEmpty(command.webServices);
    return [{ type: 'platform-management.project-deleted.v1', data: { project_id: state.id, at } }];
  },

  evolve: (state, { type, data }) => {
    switch (type) {
      case 'platform-management.project-created.v1':
        return { id: data.project_id, name: data.name, description: data.description };
      case 'platform-management.project-changed.v1':
        return { ...state, ...data.changes };
      case 'platform-management.project-deleted.v1':
        return { ...state, deleted: true };
    }
  },
};

function create(command: CreateProject, state: Project): ProjectEvent[] {
  const { projectId, userId, workspaceId, name, description, at } = command;
  if (state.id !== undefined) throw new Error(`the project ${state.id} exists already`);
  return [
    {
      type: 'platform-management.project-created.v1',
      data: { project_id: projectId, user_id: userId, workspace_id: workspaceId, name, description, at },
    },
  ];
}

/** Records only the fields that differ. */
function change(wanted: ProjectChanges, state: Project, at: string): ProjectEvent[] {
  const changes = Object.entries(wanted).filter(([name, value]) => value !== state[name as keyof ProjectChanges]);
  if (changes.length === 0) return [];
  return [
    {
      type: 'platform-management.project-changed.v1',
      data: { project_id: state.id!, changes: Object.fromEntries(changes), at },
    },
  ];
}
