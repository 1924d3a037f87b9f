/**
 * `node tools/setup/with-open-programs.mjs <program> [arguments]`: runs a program of the workspace in the environment of
 * `toolEnvironment`, so that processes of other users find PostgreSQL and Node.js (open-programs.mjs).
 */
import { spawn } from 'node:child_process';
import { toolEnvironment } from './prepare.mjs';

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: 'inherit', env: toolEnvironment() });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', error => {
  console.error(error.message);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
