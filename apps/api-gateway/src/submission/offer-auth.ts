import type { SMTPServer } from 'smtp-server';

/** What is used of a connection of smtp-server; its types do not declare it. */
interface Connection {
  readonly id: string;
  readonly secure: boolean;
  _isSupported(command: string, ...more: unknown[]): boolean;
}

/**
 * Hides AUTH from a connection until it is encrypted. smtp-server refuses AUTH without TLS but offers it, so that clients
 * would send the key in clear first.
 */
export const offerAuthOnlyOverTls = (server: SMTPServer, connectionId: string): void => {
  for (const connection of server.connections as unknown as Iterable<Connection>) {
    if (connection.id !== connectionId) continue;
    const isSupported = connection._isSupported.bind(connection);
    connection._isSupported = (command, ...more) =>
      (command.toUpperCase() !== 'AUTH' || connection.secure) && isSupported(command, ...more);
  }
};
