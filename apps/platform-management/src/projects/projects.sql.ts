import type { ProjectionTables } from '@postern/event-sourcing/postgres';

const PROJECT = 'id, name, description, created_at';

export const LIST_PROJECTS = `SELECT ${PROJECT} FROM projects WHERE user_id = $1 ORDER BY created_at, id`;

export const FIND_PROJECT = `SELECT ${PROJECT} FROM projects WHERE id = $1 AND user_id = $2`;

export const INSERT_PROJECT = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('projects')} (id, user_id, workspace_id, name, description, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;
