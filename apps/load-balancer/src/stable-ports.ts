import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

// Below every system's range for outgoing connections, so that none of them can sit on a service's port after a restart.
const LOWEST = 20_000;
const HIGHEST = 31_999;
const PATIENCE_MS = 3_000;
const RETRY_MS = 50;

/** Answers false where somebody else has the port. */
type Listen = (port: number) => Promise<boolean>;

/**
 * Listens on a free port of the range. Looks first where the service's id points, so that an address stays the same
 * even when the file that knew it is lost.
 */
export const listenAnywhere = async (listen: Listen, serviceId: string): Promise<number> => {
  const size = HIGHEST - LOWEST + 1;
  const start = LOWEST + (createHash('sha256').update(serviceId).digest().readUInt32BE() % size);
  for (let step = 0; step < size; step += 1) {
    const port = LOWEST + ((start - LOWEST + step) % size);
    if (await listen(port)) return port;
  }
  throw new Error(`no free port between ${LOWEST} and ${HIGHEST}`);
};

/** Listens on exactly this port, or answers false when somebody holds it for good. */
export const listenPatiently = async (listen: Listen, port: number): Promise<boolean> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    if (await listen(port)) return true;
    if (performance.now() > deadline) return false;
    await delay(RETRY_MS);
  }
};
