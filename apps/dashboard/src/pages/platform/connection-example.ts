import type { Database, DatabaseWithUsage } from '@postern/contracts';

/** A shell command that connects to a database; the user enters the password in it. */
export const connectionExample = (
  kind: Database['kind'],
  { host, port, username, database }: NonNullable<DatabaseWithUsage['connection']>,
): string => {
  const authority = `${encodeURIComponent(username)}:PASSWORD@${host}:${port}`;
  return kind === 'relational'
    ? `psql 'postgresql://${authority}/${encodeURIComponent(database ?? username)}?sslmode=require'`
    : `valkey-cli -u 'redis://${authority}/0'`;
};
