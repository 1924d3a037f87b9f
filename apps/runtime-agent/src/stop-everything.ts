import { stopDatabases } from './local-databases/stop-databases.js';
import { stopEverything } from './local-runtime/stop-everything.js';

/** `node stop-everything.js <platform home>`: stops what outlives runtime-agent; the next start continues. */
const [home] = process.argv.slice(2);
if (!home || home.startsWith('-')) {
  process.stderr.write('Usage: node stop-everything.js <platform home>\n');
  process.exit(2);
}
await Promise.all([stopEverything(home), stopDatabases(home)]);
