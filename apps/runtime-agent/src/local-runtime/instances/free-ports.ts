import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral port range of Linux, so that outgoing connections do not use these ports. */
const LOWEST = 30_000;
const HIGHEST = 32_700;
const ATTEMPTS = 200;

/** Returns a free port that is not `taken`. Another process may still bind it before it is used. */
export const pickFreePort = async (taken: ReadonlySet<number>): Promise<number> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new Error(`no free port between ${LOWEST} and ${HIGHEST}`);
};

/** Without a host, Node.js listens on all IPv4 and IPv6 addresses, so a listener on any of them is detected. */
const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
