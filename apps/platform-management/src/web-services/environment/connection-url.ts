interface Access {
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly port: number;
  /** The name of a relational database; that of its owner by default. */
  readonly database?: string;
}

/** The user name of the customer. */
export const CUSTOMER = 'app';

/** The connection URL for client libraries. A relational database has the same name as its owner. */
export const connectionUrl = (
  kind: 'relational' | 'key_value',
  { username, password, host, port, database = username }: Access,
): string => {
  const authority = `${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}:${port}`;
  return kind === 'relational' ? `postgresql://${authority}/${encodeURIComponent(database)}` : `redis://${authority}/0`;
};
