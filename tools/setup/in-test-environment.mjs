/**
 * `node tools/setup/in-test-environment.mjs <program> [arguments]`: runs a program of the workspace with its own folder for
 * temporary files, and with PostgreSQL and Node.js that processes of other users can run (open-programs.mjs).
 */
import { spawn } from 'node:child_process';
import { toolEnvironment } from './prepare.mjs';
import { createTemporaryFolder } from './temporary-folder.mjs';

const [program, ...args] = process.argv.slice(2);
const temporary = createTemporaryFolder();
process.on('exit', temporary.remove);
const env = toolEnvironment({ TMPDIR: temporary.path });
const child = spawn(program, args, { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', error => {
  console.error(error.message);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
