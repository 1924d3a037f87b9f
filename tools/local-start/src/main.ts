import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { watchDisk } from './disk.js';
import { gatewayPort } from './gateway-port.js';
import { type RunningPostern, startPostern } from './postern.js';
import { readyFile } from './ready-file.js';
import { Demo } from './show-demo.js';
import { untilUnused } from './starter.js';
import { summary } from './summary.js';

// Other users access parts of the home, regardless of the umask of the shell.
process.umask(0o022);
// A closed terminal must not prevent a graceful stop.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

const folder = resolve(process.env['POSTERN_HOME'] || join(import.meta.dirname, '../../../.postern'));
const logs = join(folder, 'logs');
const began = Number(process.env['POSTERN_START_BEGAN_AT'] ?? Date.now());
const print = (line: string) => console.log(`▸ ${line}`);
const warn = (line: string) => console.error(`! ${line}`);

let running: RunningPostern | undefined;
let demo: Demo | undefined;
let stopping = false;

const stop = async (code: number) => {
  if (stopping) return;
  stopping = true;
  console.log('\n▸ stopping');
  running?.home.remove('ready.json');
  demo?.close();
  await running?.stop();
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
// The process that npm started holds the other end of the channel.
process.once('disconnect', () => void stop(0));

const writeReady = ({ home }: RunningPostern) => {
  if (!stopping && running) home.write('ready.json', readyFile(running));
};

const start = async () => {
  await untilUnused(folder, print);
  // Left by a start that was killed.
  rmSync(join(folder, 'ready.json'), { force: true });
  running = await startPostern({
    home: folder,
    port: await gatewayPort(process.env['POSTERN_PORT']),
    progress: print,
    onRestart: again => again.home.read('ready.json') && writeReady(again),
  });
  watchDisk(folder, warn);
  demo = new Demo(running, { step: print, warning: warn });
  const workspace = await demo.prepare();
  writeReady(running);
  if (workspace) await demo.showMessage(workspace);
  const sample = workspace && (await demo.showSample(workspace));
  if (stopping) return;
  console.log(summary(readyFile(running), { home: folder, seconds: (Date.now() - began) / 1000, sample }));
};

start().catch(async (error: Error) => {
  if (stopping) return;
  console.error(`\n${error.message}${existsSync(logs) ? `\n\nThe logs are in ${logs}.` : ''}`);
  await stop(1);
});
