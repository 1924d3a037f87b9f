import type { DatabaseKind } from './database.js';

interface Access {
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly port: number;
}

/** The name that a customer logs in with. That of a key-value store is the one that needs no name at login. */
export const usernameFor = (kind: DatabaseKind): string => (kind === 'relational' ? 'app' : 'default');

/** What a client library takes. A relational database bears the name of its user. */
export const connectionUrl = (kind: DatabaseKind, { username, password, host, port }: Access): string => {
  const authority = `${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}:${port}`;
  return kind === 'relational' ? `postgresql://${authority}/${encodeURIComponent(username)}` : `redis://${authority}/0`;
};
