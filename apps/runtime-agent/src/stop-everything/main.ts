import { stopDatabases } from '../local-databases/stop-databases.js';
import { stopEverything } from '../local-runtime/stop-everything.js';

/** `node stop-everything/main.js <platform home>`: ends what outlives platform-management; the next start goes on. */
const [home] = process.argv.slice(2);
if (!home) {
  process.stderr.write('Say which home: node stop-everything/main.js <platform home>\n');
  process.exit(2);
}
await Promise.all([stopEverything(home), stopDatabases(home)]);
