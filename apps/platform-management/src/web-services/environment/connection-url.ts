interface Access {
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly port: number;
}

/** The user name of the customer. Key-value stores of earlier versions have `default` instead. */
export const CUSTOMER = 'app';

/** The connection URL for client libraries. A relational database has the same name as its user. */
export const connectionUrl = (kind: 'relational' | 'key_value', { username, password, host, port }: Access): string => {
  const authority = `${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}:${port}`;
  return kind === 'relational' ? `postgresql://${authority}/${encodeURIComponent(username)}` : `redis://${authority}/0`;
};
