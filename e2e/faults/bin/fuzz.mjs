/** `npm run fuzz -- …`: prepares the checkout, then runs the program with the pinned Node.js. */
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
// The terminal sends Ctrl-C to the child too; other signals are forwarded.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
