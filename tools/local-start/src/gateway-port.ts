import { createServer } from 'node:net';

const DEFAULT_PORT = 8080;

/**
 * The port of the gateway on 127.0.0.1: `POSTERN_PORT`, or 8080; 0 is any free port.
 * @throws with the setting and the reason if it is not a valid port or is unavailable.
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
