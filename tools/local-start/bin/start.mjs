/**
 * `npm start`: makes the checkout ready on whatever Node.js started npm, then continues on the pinned Node.js.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, ROOT, toolEnvironment } from '../../setup/prepare.mjs';
import { whenNpmIsGone } from './npm-parent.mjs';

const began = Date.now();
const say = line => console.log(`▸ ${line}`);
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

try {
  await prepare(say);
} catch (error) {
  console.error(
    `\n${error.message}\n\nThe set-up failed. Fix the cause and run \`npm start\` again; it continues where it stopped.`,
  );
  process.exit(1);
}

const child = spawn('node', ['--enable-source-maps', join(ROOT, 'tools/local-start/dist/main.js')], {
  // The channel closes when this process is killed, and tells the child to stop everything.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: toolEnvironment({ POSTERN_START_BEGAN_AT: String(began) }),
});
// Ctrl-C reaches the child by itself (same terminal); what is sent to this process alone is passed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
whenNpmIsGone(() => child.kill('SIGTERM'));
