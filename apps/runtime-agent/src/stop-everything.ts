import { stopDatabases } from './local-runtime/databases/stop-databases.js';
import { existingNetworks } from './local-runtime/sandbox/network/open-networks.js';
import { stopEverything } from './local-runtime/stop-everything.js';

/** `node stop-everything.js <platform home>`: stops processes that outlive runtime-agent; its next start restarts them. */
const [home] = process.argv.slice(2);
if (!home || home.startsWith('-')) {
  process.stderr.write('Usage: node stop-everything.js <platform home>\n');
  process.exit(2);
}
await Promise.all([stopEverything(home), stopDatabases(home)]);
await (await existingNetworks(home))?.dismantle();
