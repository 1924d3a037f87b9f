import type { SMTPServer } from 'smtp-server';

/** Members of smtp-server's connection that its types do not declare. */
interface Connection {
  readonly id: string;
  readonly secure: boolean;
  _isSupported(command: string, ...more: unknown[]): boolean;
}

/**
 * Hides AUTH from a connection until it is encrypted. smtp-server refuses AUTH without TLS but advertises it, so
 * clients would send the key in clear text first.
 */
export const offerAuthOnlyOverTls = (server: SMTPServer, connectionId: string): void => {
  for (const connection of server.connections as unknown as Iterable<Connection>) {
    if (connection.id !== connectionId) continue;
    const isSupported = connection._isSupported.bind(connection);
    connection._isSupported = (command, ...more) =>
      (command.toUpperCase() !== 'AUTH' || connection.secure) && isSupported(command, ...more);
  }
};
