import { existsSync, rmSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { addressOf } from '@postern/load-balancer-client';
import { balancerLog, reasonOf } from '../infrastructure/balancer-log.js';
import { crashOnUnhandled, writeLine } from '../infrastructure/process-output.js';
import type { BalancerSettings } from '../settings.js';
import { boundsWithin, openFileLimit } from './connection-bounds.js';
import { isAlive } from './is-alive.js';
import { standbyHostOf } from './port-claim.js';
import type { Worker } from './ports.js';
import {
  kindOf,
  ORDERS,
  type OrderMessage,
  onLines,
  type Role,
  sendLine,
  type WorkerMessage,
  workersFolder,
} from './worker-protocol.js';

const ALONE_CHECK_MS = 250;

/**
 * A process that serves traffic as configured by the main process. If the main process is killed, it keeps serving with
 * its current routes, and the next main process takes control of it.
 */
export const runWorker = async (
  settings: BalancerSettings,
  role: Role,
  supervisorId: number,
  createWorker: (settings: BalancerSettings) => Worker,
): Promise<void> => {
  const log = balancerLog(writeLine, { workerPid: process.pid });
  crashOnUnhandled(log);
  const host = role === 'standby' ? await standbyHostOf(settings.host) : settings.host;
  const openFiles = await openFileLimit();
  const connections = boundsWithin(settings.connections, openFiles);
  if (connections !== settings.connections)
    log.warn({ openFiles, ...connections }, 'Fewer connections than configured; raise the limit of open files');
  const worker = createWorker({ ...settings, host, connections });
  const path = join(workersFolder(settings.platformHome), `${process.pid}.sock`);
  let main: Socket | undefined;
  let aloneSince = performance.now();

  const end = async (reason: string) => {
    log.info({ reason }, 'The worker is shutting down');
    // No main process may connect to a worker that is stopping.
    if (!main) orders.close();
    const last = await worker.stop();
    if (main) sendLine(main, { last });
    // Exits once the report is sent and the main process has closed the connection.
    main?.end(() => process.exit(0));
    if (!main) process.exit(0);
  };

  const execute = async (socket: Socket, { id, order, parameters }: OrderMessage): Promise<void> => {
    let answer: WorkerMessage;
    try {
      if (!ORDERS.includes(order)) throw new Error(`there is no order ${order}`);
      const method = worker[order] as (...parameters: OrderMessage['parameters']) => ReturnType<Worker[typeof order]>;
      answer = { id, result: await method.apply(worker, parameters) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      answer = { id, failure: { message: reasonOf(error).reason, code } };
    }
    sendLine(socket, answer);
    if (order === 'stop') socket.end(() => process.exit(0));
  };

  const orders = createServer(socket => {
    main?.destroy();
    main = socket;
    const { sharedPort } = worker;
    const ports = Object.fromEntries(worker.ports);
    sendLine(socket, { introduction: { kind: kindOf(settings), role, ports, sharedPort: sharedPort ?? null } });
    onLines(socket, message => void execute(socket, message));
    socket.on('close', () => {
      if (main !== socket) return;
      main = undefined;
      aloneSince = performance.now();
    });
  });

  const checkAlone = () => {
    if (main) return;
    if (!existsSync(dirname(path))) process.exit(0);
    const isOver = performance.now() - aloneSince > settings.timeouts.failoverMs;
    const isOrphaned = settings.exitWithParent && !isAlive(supervisorId);
    if (!isOver && !isOrphaned) return;
    clearInterval(checking);
    void end(isOver ? 'no main process has taken over' : 'parent gone');
  };
  const checking = setInterval(checkAlone, ALONE_CHECK_MS);

  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    void end(signal);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);

  process.once('exit', () => rmSync(path, { force: true }));
  await mkdir(dirname(path), { recursive: true });
  // Removes the socket of an earlier process with the same id.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    orders.once('error', reject);
    orders.listen({ path: addressOf(path) }, resolve);
  });
  await chmod(path, 0o600);
  process.send?.('listening', () => {
    if (process.connected) process.disconnect();
  });
};
