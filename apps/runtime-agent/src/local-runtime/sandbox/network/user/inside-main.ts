import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/**
 * Keeps the network that an ordinary user owns. It opens the port to which connections of sandboxes to servers of the machine are
 * directed, and hands it to its parent, which is in the network of the machine. It ends with its parent, and ends the uplink then.
 */
const [, , port] = process.argv;
const DEFAULT_ROUTE = /^\S+\t00000000\t/m;
const CHECK_EVERY_MS = 20;

let uplink: number | undefined;

const end = (): void => {
  try {
    if (uplink !== undefined) process.kill(uplink, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
  process.exit();
};

process.on('disconnect', end);
process.on('message', (message: { readonly uplink: number }) => {
  uplink = message.uplink;
  const checking = setInterval(() => {
    if (!DEFAULT_ROUTE.test(readFileSync('/proc/self/net/route', 'latin1'))) return;
    clearInterval(checking);
    process.send?.('connected');
  }, CHECK_EVERY_MS);
});

const server = createServer();
server.listen(Number(port), '0.0.0.0', () => process.send?.('listening', server, () => server.close()));
