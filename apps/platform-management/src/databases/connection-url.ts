import type { DatabaseKind } from './database.js';

interface Access {
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly port: number;
}

/** The user name of the customer. In a key-value store it is `default`, which clients may omit. */
export const usernameFor = (kind: DatabaseKind): string => (kind === 'relational' ? 'app' : 'default');

/** The connection URL for client libraries. A relational database has the same name as its user. */
export const connectionUrl = (kind: DatabaseKind, { username, password, host, port }: Access): string => {
  const authority = `${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}:${port}`;
  return kind === 'relational' ? `postgresql://${authority}/${encodeURIComponent(username)}` : `redis://${authority}/0`;
};
