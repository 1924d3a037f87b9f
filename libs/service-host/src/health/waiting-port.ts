import { createServer, type Server } from 'node:http';
import type { Log } from '@postern/messaging';

/**
 * Answers the health port while a start waits for NATS and the database: alive, not ready. Without it an orchestrator
 * would restart a process for what is missing elsewhere.
 */
export class WaitingPort {
  #server: Server | undefined;

  /** Does nothing for port 0: nobody can know where to ask. */
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
      // Whoever listens there may be on its way out; the service itself fails later if it is not.
      log.warn({ err: error }, 'The health port cannot be opened before the service is up');
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
