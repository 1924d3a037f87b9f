/**
 * The reference for sending on all CPUs: one `email-service` process per CPU with a shared port, started by the cluster
 * module of Node.js.
 */
import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { handleCommands } from '../load/worker.js';

const workers = availableParallelism();
const relayConnections = Math.max(1, Math.floor(Number(process.env['REFERENCE_RELAY_CONNECTIONS'] ?? 1) / workers));

cluster.setupPrimary({ exec: join(import.meta.dirname, 'email-service.js') });

const ready = (worker: Worker): Promise<number> =>
  new Promise((resolve, reject) => {
    worker.once('message', ({ ready: { port } }: { ready: { port: number } }) => resolve(port));
    worker.once('exit', code => reject(new Error(`a worker of the reference exited with ${code} before it was ready`)));
  });

const ports: number[] = [];
// Sequentially, because the first one creates the table.
for (let started = 0; started < workers; started++)
  ports.push(await ready(cluster.fork({ REFERENCE_RELAY_CONNECTIONS: String(relayConnections) })));
handleCommands({}, { port: ports[0] });
