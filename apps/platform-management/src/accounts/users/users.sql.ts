import type { ProjectionTables } from '@postern/event-sourcing/postgres';

export const INSERT_USER = ({ table }: ProjectionTables) =>
  `INSERT INTO ${table('users')} (id, email, operator, created_at) VALUES ($1, $2, $3, $4)`;

export const INSERT_MEMBERSHIP = ({ table }: ProjectionTables) =>
  `INSERT INTO ${table('memberships')} (user_id, workspace_id, joined_at) VALUES ($1, $2, $3)`;
