import { z } from 'zod';

/** Roles in ascending order of permissions; each includes the previous ones. */
export const WORKSPACE_ROLES = ['viewer', 'member', 'owner'] as const;

/** A viewer reads; a member works with services; an owner also manages members, platform keys and deletion. */
export const workspaceRole = z.enum(WORKSPACE_ROLES);
export type WorkspaceRole = z.output<typeof workspaceRole>;

/** Whether a role includes the permissions of another one. */
export const includesRole = (role: WorkspaceRole, required: WorkspaceRole): boolean =>
  WORKSPACE_ROLES.indexOf(role) >= WORKSPACE_ROLES.indexOf(required);
