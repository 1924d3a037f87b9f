/** `npm run faults -- …`: prepares the checkout, then runs the program with the pinned Node.js. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, ROOT, toolEnvironment } from '../../../tools/setup/prepare.mjs';

try {
  await prepare(line => console.error(`▸ ${line}`));
} catch (error) {
  console.error(`\n${error.message}`);
  process.exit(1);
}

const program = ['node', join(ROOT, 'e2e/faults/dist/main.js'), ...process.argv.slice(2)];
// As root in a network and with mounts of its own, where it may drop packets and replace resolv.conf.
const own = ['unshare', '--net', '--mount', '--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'faults'];
const isRoot = process.getuid?.() === 0;
const [command, ...args] = isRoot ? [...own, ...program] : program;
const child = spawn(command, args, {
  stdio: 'inherit',
  env: { ...toolEnvironment(), ...(isRoot && { POSTERN_FAULTS_NAMESPACES: 'true' }) },
});
// The terminal sends Ctrl-C to the child too; other signals are forwarded.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
