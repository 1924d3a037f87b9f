import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceListener } from './service-listener.js';

// Below every system's range for outgoing connections, so that none of them can sit on a service's port after a restart.
const LOWEST = 20_000;
const HIGHEST = 31_999;
const PATIENCE_MS = 3_000;
const RETRY_MS = 50;

/**
 * Listens on a free port of the range. Looks first where the service's id points, so that an address stays the same
 * even when the file that knew it is lost.
 */
export const listenAnywhere = async (listener: ServiceListener, host: string, serviceId: string): Promise<number> => {
  const size = HIGHEST - LOWEST + 1;
  const start = LOWEST + (createHash('sha256').update(serviceId).digest().readUInt32BE() % size);
  for (let step = 0; step < size; step += 1) {
    const port = LOWEST + ((start - LOWEST + step) % size);
    if (await listens(listener, port, host)) return port;
  }
  throw new Error(`no free port between ${LOWEST} and ${HIGHEST}`);
};

/** Listens on exactly this port, or answers false when somebody holds it for good. */
export const listenPatiently = async (listener: ServiceListener, port: number, host: string): Promise<boolean> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    if (await listens(listener, port, host)) return true;
    if (performance.now() > deadline) return false;
    await delay(RETRY_MS);
  }
};

const listens = async (listener: ServiceListener, port: number, host: string): Promise<boolean> => {
  try {
    await listener.listen(port, host);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES') return false;
    throw error;
  }
};
