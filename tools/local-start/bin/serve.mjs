/**
 * `npx nx serve <service>`: rebuilds one service when its sources or those of its libraries change, and makes the
 * running local start (`npm start`) restart it with its environment. Prints the log of the service.
 */
import { spawn } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, statSync, watch } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ROOT, toolEnvironment } from '../../setup/prepare.mjs';

const DEBOUNCE_MS = 150;
const LOG_EVERY_MS = 250;
const service = process.argv[2];
const project = join(ROOT, 'apps', service ?? '');
const home = resolve(process.env.POSTERN_HOME || join(ROOT, '.postern'));
const logFile = join(home, 'logs', `${service}.log`);

const fail = message => {
  console.error(message);
  process.exit(1);
};
const print = line => console.log(`▸ ${line}`);

const isAlive = pid => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The process id of the service from `ready.json`; it changes with each restart. */
const processId = () => {
  const file = join(home, 'ready.json');
  if (!existsSync(file)) return undefined;
  const pid = JSON.parse(readFileSync(file, 'utf8')).processes?.[service];
  return pid !== undefined && isAlive(pid) ? pid : undefined;
};

if (!service || !existsSync(join(project, 'tsconfig.json'))) fail(`There is no service ${service}. See apps/.`);
if (processId() === undefined)
  fail(`${service} does not run in ${home}. Start Postern in another terminal first: npm start`);

/** The service and every library that its tsconfig references. */
const projects = (folder, found = new Set()) => {
  if (found.has(folder)) return found;
  found.add(folder);
  const { references = [] } = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8'));
  for (const { path } of references) projects(resolve(folder, path), found);
  return found;
};

const restart = () => {
  const pid = processId();
  if (pid === undefined) return print(`${service} is not running; the local start starts it again shortly`);
  // The local start restarts a service that has ended.
  process.kill(pid, 'SIGTERM');
  print(`${service} restarts`);
};

let building;
let changedMeanwhile = false;
const rebuild = () => {
  if (building) {
    changedMeanwhile = true;
    return;
  }
  const bundle = existsSync(join(project, 'dist/bundle.js')) ? `&& node tools/setup/bundle.mjs ${service}` : '';
  const options = { cwd: ROOT, env: toolEnvironment(), stdio: 'inherit', shell: true };
  building = spawn(`tsc -b apps/${service} ${bundle}`, options);
  building.on('exit', code => {
    building = undefined;
    if (changedMeanwhile) {
      changedMeanwhile = false;
      rebuild();
    } else if (code === 0) restart();
    else print('the build failed; the service runs on as it was');
  });
};

let timer;
for (const folder of projects(project)) {
  watch(join(folder, 'src'), { recursive: true }, (_, file) => {
    if (!file?.endsWith('.ts') || file.endsWith('.spec.ts')) return;
    clearTimeout(timer);
    timer = setTimeout(rebuild, DEBOUNCE_MS);
  });
}

let shown = existsSync(logFile) ? statSync(logFile).size : 0;
setInterval(() => {
  const size = existsSync(logFile) ? statSync(logFile).size : 0;
  // The log was rotated.
  if (size < shown) shown = 0;
  if (size === shown) return;
  createReadStream(logFile, { start: shown, end: size - 1 }).pipe(process.stdout, { end: false });
  shown = size;
}, LOG_EVERY_MS);

const watched = [...projects(project)].map(folder => relative(ROOT, folder)).join(', ');
print(`${service} of ${home} is rebuilt and restarted when ${watched} change; its log follows`);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
