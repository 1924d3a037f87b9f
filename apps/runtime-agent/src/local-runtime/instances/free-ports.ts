import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range from which Linux takes the ports of outgoing connections, so that none of those is in the way. */
const LOWEST = 30_000;
const HIGHEST = 32_700;
const ATTEMPTS = 200;

/** A port that nothing listens on now and that is not `taken`; another process may still take it before it is used. */
export const pickFreePort = async (taken: ReadonlySet<number>): Promise<number> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new Error(`no free port between ${LOWEST} and ${HIGHEST}`);
};

/** Without a host Node.js listens on all addresses of both families, so a listener on any of them is noticed. */
const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
