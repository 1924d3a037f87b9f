import { createServer, type Server } from 'node:http';
import type { Log } from '@postern/messaging';

/**
 * Serves the health port while the start waits for NATS and the database: alive, but not ready. Without it, an
 * orchestrator would restart the process.
 */
export class WaitingPort {
  #server: Server | undefined;

  /** Does nothing for port 0, because its number would be unknown. */
  async open(host: string, port: number, log: Log): Promise<void> {
    if (port === 0) return;
    const server = createServer((request, response) => {
      const alive = request.url === '/health/live';
      response.writeHead(alive ? 200 : 503, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify({ status: alive ? 'ok' : 'starting' }));
    });
    this.#server = server;
    const { promise, resolve } = Promise.withResolvers<void>();
    server.once('listening', resolve);
    server.once('error', error => {
      // The previous process may still use the port; the service fails later if it stays in use.
      log.warn({ err: error }, 'The health port cannot be opened during the start');
      this.#server = undefined;
      resolve();
    });
    server.listen(port, host);
    await promise;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    server.closeAllConnections();
    await promise;
  }
}
