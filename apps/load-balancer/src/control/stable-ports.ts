import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

// Below the ephemeral port range of every system, so that no outgoing connection can occupy a service's port after a
// restart.
const LOWEST = 20_000;
const HIGHEST = 31_999;
const PATIENCE_MS = 3_000;
const RETRY_MS = 50;

/** Resolves with false if another process uses the port. */
type Listen = (port: number) => Promise<boolean>;

/**
 * Listens on a free port of the range. Starts at a port derived from the service's id, so that the address stays the
 * same even if the route table is lost.
 */
export const listenOnFreePort = async (listen: Listen, serviceId: string): Promise<number> => {
  const size = HIGHEST - LOWEST + 1;
  const start = LOWEST + (createHash('sha256').update(serviceId).digest().readUInt32BE() % size);
  for (let step = 0; step < size; step += 1) {
    const port = LOWEST + ((start - LOWEST + step) % size);
    if (await listen(port)) return port;
  }
  throw new Error(`no free port between ${LOWEST} and ${HIGHEST}`);
};

/** Listens on exactly this port. Retries for a while, then resolves with false if another process still uses it. */
export const listenWithRetry = async (listen: Listen, port: number): Promise<boolean> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    if (await listen(port)) return true;
    if (performance.now() > deadline) return false;
    await delay(RETRY_MS);
  }
};
