/** `npm run fuzz -- …`: makes the checkout ready, then hands over to the pinned Node.js. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, ROOT, toolEnvironment } from '../../../tools/setup/prepare.mjs';

try {
  await prepare(line => console.error(`▸ ${line}`));
} catch (error) {
  console.error(`\n${error.message}`);
  process.exit(1);
}

const child = spawn('node', [join(ROOT, 'e2e/faults/dist/fuzz/main.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: toolEnvironment(),
});
// Ctrl-C reaches the child by itself (same terminal); signals to this process alone are passed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
