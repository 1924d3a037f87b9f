/**
 * `node cleanup.mjs <run folder> <stages…>`: runs a cluster in separate namespaces and removes it afterwards. It has its own
 * session, so it survives if the check is killed; it detects that by the end of standard input.
 */
import { spawn, spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { removeControlGroups } from './control-groups.mjs';

const [folder = '', ...args] = process.argv.slice(2);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

// The kernel removes all processes, mounts and interfaces of the namespaces when their init process exits. It exits with
// `unshare`, which exits with this process. The shell reaps orphaned processes.
const apart = spawn(
  'setpriv',
  [
    '--pdeathsig',
    'KILL',
    'unshare',
    '--net',
    '--mount',
    '--pid',
    '--ipc',
    '--uts',
    '--fork',
    '--kill-child=SIGKILL',
  ].concat(
    ['--mount-proc', 'sh', '-c', '"$@"; exit $?', 'sh', process.execPath, join(import.meta.dirname, 'inside.mjs')],
    [folder, ...args],
  ),
  { stdio: ['ignore', 'inherit', 'inherit'] },
);
const ended = new Promise(resolve => {
  apart.once('exit', (code, signal) => resolve(signal ? 1 : code));
  apart.once('error', error => {
    console.error(error.message);
    resolve(1);
  });
});
process.stdin.once('close', () => apart.kill('SIGKILL')).resume();

let code = await ended;
for (let tries = 0; tries < 50 && removeControlGroups(basename(folder)).length > 0; tries++) await pause(200);
const busy = removeControlGroups(basename(folder));
if (busy.length > 0) {
  console.error(`still in use: ${busy.join(', ')}`);
  code = 1;
}
// Much faster than Node.js for about 100,000 files of images.
spawnSync('rm', ['-rf', folder]);
process.exit(code);
