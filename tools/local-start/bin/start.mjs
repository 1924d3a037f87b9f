/** `npm start`: prepares the checkout on the Node.js that runs npm, then starts Postern on the pinned Node.js. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, ROOT, toolEnvironment } from '../../setup/prepare.mjs';
import { onNpmExit } from './npm-parent.mjs';

const began = Date.now();
const print = line => console.log(`▸ ${line}`);
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

try {
  // End-to-end tests start an existing build, because others use the same build at that time.
  if (process.env.POSTERN_SKIP_SETUP !== 'true') await prepare(print);
} catch (error) {
  console.error(
    `\n${error.message}\n\nThe set-up failed. Fix the cause and run \`npm start\` again; it continues where it stopped.`,
  );
  process.exit(1);
}

const child = spawn('node', ['--enable-source-maps', join(ROOT, 'tools/local-start/dist/main.js')], {
  // The channel closes when this process is killed, which makes the child stop everything.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: toolEnvironment({ POSTERN_START_BEGAN_AT: String(began) }),
});
// The terminal sends Ctrl-C to the child directly; signals sent only to this process are forwarded.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
onNpmExit(() => child.kill('SIGTERM'));
