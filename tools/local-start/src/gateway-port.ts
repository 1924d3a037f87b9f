import { createServer } from 'node:net';

const DEFAULT_PORT = 8080;

/**
 * Where the gateway is to listen on 127.0.0.1: `POSTERN_PORT`, or 8080; 0 is any free port.
 * @throws naming the setting and the reason, where it is no port or nobody can listen there.
 */
export const gatewayPort = async (setting: string | undefined): Promise<number> => {
  const port = setting ? Number(setting) : DEFAULT_PORT;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`POSTERN_PORT must be a whole number from 0 to 65535, not "${setting}".`);
  await listenOnce(port);
  return port;
};

const listenOnce = async (port: number): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer().on('error', reject);
  server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  try {
    await promise;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? `127.0.0.1:${port} is taken by another process` : message;
    throw new Error(
      `${why}.\nStop the process that listens there, or choose another port: POSTERN_PORT=${port + 1} npm start`,
    );
  }
};
