import { z } from 'zod';

/** From the role that may do least to the one that may do most; each includes those before it. */
export const WORKSPACE_ROLES = ['viewer', 'member', 'owner'] as const;

/** A viewer reads; a member works with services; an owner also manages members, platform keys and deletion. */
export const workspaceRole = z.enum(WORKSPACE_ROLES);
export type WorkspaceRole = z.output<typeof workspaceRole>;

/** Whether a role may do what another one may. */
export const includesRole = (role: WorkspaceRole, required: WorkspaceRole): boolean =>
  WORKSPACE_ROLES.indexOf(role) >= WORKSPACE_ROLES.indexOf(required);
