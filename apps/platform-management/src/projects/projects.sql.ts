import type { ProjectionTables } from '@postern/event-sourcing/postgres';
import { IS_REACHED } from './reached-projects.js';

const PROJECT = 'p.id, p.name, p.description, p.created_at';

export const LIST_PROJECTS = `SELECT ${PROJECT} FROM projects p WHERE ${IS_REACHED} ORDER BY p.created_at, p.id`;

export const FIND_PROJECT = `SELECT ${PROJECT} FROM projects p WHERE ${IS_REACHED} AND p.id = $3`;

export const INSERT_PROJECT = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('projects')} (id, user_id, workspace_id, name, description, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

/** Columns that `$2` does not name keep their values. */
export const CHANGE_PROJECT = ({ table }: ProjectionTables) => `
  UPDATE ${table('projects')} AS p SET (name, description) =
    (SELECT name, description FROM jsonb_populate_record(p, $2::jsonb)) WHERE p.id = $1`;

export const DELETE_PROJECT = ({ table }: ProjectionTables) => `DELETE FROM ${table('projects')} WHERE id = $1`;

export const COUNT_WEB_SERVICES = 'SELECT count(*)::integer AS count FROM web_services WHERE project_id = $1';

/** Deletes the values of all secrets that the project ever had. */
export const DELETE_SECRETS_OF = `
  DELETE FROM sealed_values WHERE id IN (
    SELECT (data->>'value_id')::uuid FROM event_store.events
    WHERE stream_id = 'project-secrets-' || $1 AND data->>'key' IS NOT NULL)`;
