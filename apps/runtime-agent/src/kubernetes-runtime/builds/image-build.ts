import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { BuildFailed } from '@postern/runtime';
import { adviceIn } from '../../infrastructure/builders/build-failure-advice.js';
import { type BuildPlan, buildCommandOf, logRulesOf } from '../../infrastructure/builders/build-plan.js';
import { requireTools, startOf } from '../../infrastructure/builders/builders.js';
import { DOCKERFILE_STARTS_NOTHING } from '../../infrastructure/builders/dockerfile.js';
import { machineOf } from '../../infrastructure/builders/machine.js';
import { largeFilesNotFetched, submodulesNotFetched } from '../../infrastructure/builders/not-fetched.js';
import { processTypes, procfileRules } from '../../infrastructure/builders/procfile.js';
import { BUILD_DEFAULTS } from '../../infrastructure/builders/production.js';
import { projectIn } from '../../infrastructure/builders/project.js';
import { enterProjectFolder, planFor } from '../../infrastructure/builders/project-folder.js';
import { quoted } from '../../infrastructure/builders/quoted.js';
import { requireUnixScript } from '../../infrastructure/builders/script.js';
import { OWN_PATH, type Start } from '../../infrastructure/builders/start.js';

/**
 * Creates the content of an image from a source, inside the image build, by the rules of the local runtime. It is
 * bundled, because the build gets it as a single file (`nx bundle runtime-agent`).
 */
const {
  PATH = '',
  POSTERN_APP: app = '/app',
  POSTERN_PLAN: plan = '/plan',
  POSTERN_OUT: out = '/postern',
  POSTERN_CACHE: cache = '/cache',
  POSTERN_ENVIRONMENT: environmentFile = '/run/secrets/environment',
} = process.env;

const LAST_CHARACTERS = 32_768;
const IMAGE = 'the base image';

const order = JSON.parse(readFileSync(join(plan, 'order.json'), 'utf8')) as {
  readonly rootDirectory?: string;
  readonly buildCommand?: string;
  readonly hasStartCommand: boolean;
};

/** Decides how the source is built and how its result starts; the rules that apply are logged. */
const buildPlanOf = async (): Promise<BuildPlan> => {
  const machine = machineOf(PATH, IMAGE);
  for (const line of await submodulesNotFetched(projectIn(app))) console.log(line);
  for (const line of await largeFilesNotFetched(projectIn(app))) console.log(line);
  const place = await enterProjectFolder(app, machine, order, line => console.log(line));
  const buildPlan = await planFor(app, place, machine);
  const procfile = await projectIn(folderOf(buildPlan)).read('Procfile');
  if (!order.hasStartCommand) for (const rule of procfileRules(procfile ?? '')) console.log(rule);
  for (const rule of logRulesOf(buildPlan, order.buildCommand)) console.log(rule);
  if (order.buildCommand !== undefined) return buildPlan;
  try {
    requireTools(buildPlan, machine);
  } catch (error) {
    throw new BuildFailed(`${(error as Error).message}, or add a Dockerfile to the repository`);
  }
  return buildPlan;
};

const folderOf = ({ folder = '.' }: BuildPlan): string => join(app, folder);

/** Package managers store downloads in the cache, which is in no layer. */
const environmentOf = (buildPlan: BuildPlan): NodeJS.ProcessEnv => ({
  PATH,
  ...BUILD_DEFAULTS,
  ...buildPlan.environment,
  ...(JSON.parse(readFileSync(environmentFile, 'utf8')) as Record<string, string>),
  // Build dependencies are devDependencies, which npm omits if NODE_ENV is production.
  npm_config_include: 'dev',
  HOME: cache,
});

/** @throws BuildFailed with advice if the output shows a known cause. */
const run = async (command: string, buildPlan: BuildPlan): Promise<void> => {
  console.log(`$ ${command}`);
  mkdirSync(cache, { recursive: true });
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: app,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentOf(buildPlan),
  });
  let last = '';
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const)
    from.on('data', (chunk: Buffer) => {
      last = (last + chunk.toString('utf8')).slice(-LAST_CHARACTERS);
      to.write(chunk);
    });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code === 0) return;
  const what = order.buildCommand === undefined ? command : 'the build command';
  const ended = `${what} ${signal ? `was killed by ${signal}` : `exited with code ${code}`}`;
  const advice = adviceIn(stripVTControlCharacters(last), IMAGE);
  throw new BuildFailed(advice === undefined ? ended : `${advice} (${ended})`);
};

const asCommand = (command: string) => `${OWN_PATH} exec /bin/sh -c ${quoted(command)}`;

const scriptOf = (buildPlan: BuildPlan, start: Start): string => {
  if (start.kind === 'command') return enter(buildPlan) + asCommand(start.command);
  const server = readdirSync(plan).find(name => name.startsWith('static-server.')) ?? '';
  copyFileSync(join(plan, server), join(out, server));
  return `cd ${quoted(join(buildPlan.folder ?? '.', start.folder))} && exec node "$OLDPWD/../postern/static-server${extname(server)}"`;
};

/** Changes to the folder of the project; programs of the root folder are also found. */
const enter = ({ folder }: BuildPlan): string =>
  folder === undefined ? '' : `export ${OWN_PATH}\ncd -- ${quoted(folder)} || exit 1\n`;

const writeProcesses = async (buildPlan: BuildPlan): Promise<void> => {
  mkdirSync(join(out, 'processes'), { recursive: true });
  const procfile = await projectIn(folderOf(buildPlan)).read('Procfile');
  const { web: _web, release: _release, ...others } = processTypes(procfile ?? '');
  for (const [type, command = ''] of Object.entries(others))
    writeFileSync(
      join(out, 'processes', type),
      `cd "$(dirname "$0")/../../app"\n${enter(buildPlan)}${asCommand(command)}\n`,
    );
};

const writeStart = async (buildPlan: BuildPlan): Promise<void> => {
  const folder = folderOf(buildPlan);
  const start = await startOf(folder, buildPlan, DOCKERFILE_STARTS_NOTHING);
  if (start.kind === 'command') await requireUnixScript(projectIn(folder), start.command);
  console.log(start.kind === 'static' ? `Serves the files in ${start.folder}` : `Starts by: ${start.command}`);
  writeFileSync(join(out, 'start'), `cd "$(dirname "$0")/../app"\n${scriptOf(buildPlan, start)}\n`);
};

const make = async (): Promise<void> => {
  const buildPlan = await buildPlanOf();
  const command = buildCommandOf(buildPlan, order.buildCommand);
  if (command !== undefined) await run(command, buildPlan);
  await writeProcesses(buildPlan);
  if (buildPlan.folder !== undefined) writeFileSync(join(out, 'folder'), buildPlan.folder);
  if (!order.hasStartCommand) await writeStart(buildPlan);
  // Instances run as a different user than the build.
  execFileSync('chmod', ['-R', 'a+rX', app, out]);
};

await make().catch((error: unknown) => {
  // The platform parses this line for the deployment's error; no other line begins with this prefix.
  console.log(`postern-build-failed: ${error instanceof BuildFailed ? error.message : String(error)}`);
  process.exitCode = 1;
});
