import { stopEverything } from './stop-everything.js';

/** `node stop-everything-main.js <platform home>` */
const [home] = process.argv.slice(2);
if (!home) {
  process.stderr.write('Say which home: stop-everything-main.js <platform home>\n');
  process.exit(2);
}
await stopEverything(home);
