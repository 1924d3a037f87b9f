import type { ProjectionTables } from '@postern/event-sourcing/postgres';
import { IS_REACHED } from './reached-projects.js';

const PROJECT = 'p.id, p.name, p.description, p.created_at';

export const LIST_PROJECTS = `SELECT ${PROJECT} FROM projects p WHERE ${IS_REACHED} ORDER BY p.created_at, p.id`;

export const FIND_PROJECT = `SELECT ${PROJECT} FROM projects p WHERE ${IS_REACHED} AND p.id = $4`;

export const INSERT_PROJECT = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('projects')} (id, user_id, workspace_id, name, description, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;
