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

/** $1 is the text in lower case. */
const FOUND = `
  FROM workspaces w
  WHERE strpos(lower(w.name), $1) > 0 OR w.id::text = $1 OR EXISTS (
    SELECT FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.workspace_id = w.id AND (strpos(u.email, $1) > 0 OR u.id::text = $1))`;

export const FIND_WORKSPACES = `
  SELECT w.id, w.name, w.created_at, ARRAY(
    SELECT u.email FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.workspace_id = w.id AND m.role = 'owner' ORDER BY m.joined_at, u.id LIMIT 10) AS owners
  ${FOUND} ORDER BY w.created_at DESC, w.id DESC LIMIT $2 OFFSET $3`;

export const COUNT_FOUND_WORKSPACES = `SELECT count(*)::int AS total ${FOUND}`;
