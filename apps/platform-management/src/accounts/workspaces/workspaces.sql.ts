import type { ProjectionTables } from '@postern/event-sourcing/postgres';

export const INSERT_WORKSPACE = ({ table }: ProjectionTables) =>
  `INSERT INTO ${table('workspaces')} (id, name, created_at) VALUES ($1, $2, $3)`;

export const RENAME_WORKSPACE = ({ table }: ProjectionTables) =>
  `UPDATE ${table('workspaces')} SET name = $2 WHERE id = $1`;

export const DELETE_WORKSPACE = ({ table }: ProjectionTables) => `DELETE FROM ${table('workspaces')} WHERE id = $1`;

export const INSERT_MEMBER = ({ table }: ProjectionTables) =>
  `INSERT INTO ${table('memberships')} (user_id, workspace_id, role, joined_at) VALUES ($1, $2, $3, $4)`;

export const UPDATE_MEMBER_ROLE = ({ table }: ProjectionTables) =>
  `UPDATE ${table('memberships')} SET role = $3 WHERE user_id = $1 AND workspace_id = $2`;

export const DELETE_MEMBER = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('memberships')} WHERE user_id = $1 AND workspace_id = $2`;

export const DELETE_MEMBERS_OF = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('memberships')} WHERE workspace_id = $1`;
