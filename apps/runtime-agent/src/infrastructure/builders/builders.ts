import { dirname } from 'node:path';
import { BuildFailed } from '@postern/runtime';
import type { Builder, BuildPlan } from './build-plan.js';
import { deno } from './deno.js';
import { go } from './go.js';
import { hugo } from './hugo.js';
import { java } from './java.js';
import type { Machine } from './machine.js';
import { node } from './node.js';
import { hasStartScript, startsNode } from './node-start.js';
import { otherLanguageOf } from './other-languages.js';
import { packageManifest } from './package-json.js';
import { php } from './php.js';
import { processTypes } from './procfile.js';
import { programsIn } from './programs.js';
import { type Project, projectIn } from './project.js';
import { python } from './python.js';
import { ruby } from './ruby.js';
import { rust } from './rust.js';
import { findStart, type Start } from './start.js';

/** A package.json beside another ecosystem's manifest is usually for its assets, so it comes last. */
const BUILDERS: readonly Builder[] = [deno, go, ruby, python, php, java, rust, node, hugo];

const NOTHING: BuildPlan = { rules: [] };

/** Selects the build plan for a project, which may use several languages: one of them starts the web service. */
export const buildPlanFor = async (project: Project, machine: Machine): Promise<BuildPlan> => {
  const { web } = processTypes((await project.read('Procfile')) ?? '');
  const isNode = web !== undefined && /^(\w+=\S+\s+)*(node|npm|npx|yarn|pnpm|bun)\b/.test(web);
  for (const builder of isNode ? [node, ...BUILDERS] : BUILDERS) {
    const buildPlan = await builder(project, machine);
    if (!buildPlan) continue;
    const manifest = builder === node || builder === deno ? undefined : await project.packageJson();
    if (!manifest) return buildPlan;
    if (buildPlan.isOnlyTools === true && web === undefined && (await startsNode(project, manifest)))
      return withTools(await required(node, project, machine), buildPlan, machine);
    const buildsAssets = manifest.scripts?.['build'] !== undefined;
    return buildsAssets ? withAssets(buildPlan, await required(node, project, machine), machine) : buildPlan;
  }
  return NOTHING;
};

const required = async (builder: Builder, project: Project, machine: Machine): Promise<BuildPlan> =>
  (await builder(project, machine)) ?? NOTHING;

/** The packages of the other language are installed if the machine has its programs; the start may call them. */
const withTools = (starting: BuildPlan, tools: BuildPlan, machine: Machine): BuildPlan => {
  const hasPrograms = (tools.needs ?? []).every(({ program }) => machine.has(program));
  const takes = hasPrograms && tools.command !== undefined && tools.installsNothing !== true;
  const rules = takes
    ? tools.rules
    : tools.rules.map(
        rule => `${rule}: left out, because package.json starts the web service and ${missing(tools, machine)}`,
      );
  return combined(starting, [...starting.rules, ...rules], takes ? [starting, tools] : [starting]);
};

/** The build script of package.json builds the assets, which the build of the web service may collect. */
const withAssets = (starting: BuildPlan, assets: BuildPlan, machine: Machine): BuildPlan => {
  if (!machine.has('npm'))
    return {
      ...starting,
      rules: [
        ...starting.rules,
        `package.json has a build script, but ${machine.name} has no Node.js: it does not run`,
      ],
    };
  const command = assets.command && `{ { ${assets.command}; } || { echo '${ASSETS_FAILED}'; false; }; }`;
  return combined(starting, [...starting.rules, ...assets.rules], [{ ...assets, command }, starting]);
};

const ASSETS_FAILED =
  'The packages or the build script of package.json failed: if the web service does not need them, set a build command that leaves them out';

const missing = ({ needs = [] }: BuildPlan, machine: Machine): string => {
  const names = needs.filter(({ program }) => !machine.has(program)).map(({ program }) => program);
  return names.length === 0 ? 'nothing is to be installed' : `${machine.name} has no ${names.join(' and ')}`;
};

const combined = (starting: BuildPlan, rules: readonly string[], order: readonly BuildPlan[]): BuildPlan => ({
  ...starting,
  rules,
  runtime: order.find(({ runtime }) => runtime !== undefined)?.runtime,
  command:
    order
      .map(({ command }) => command)
      .filter(Boolean)
      .join(' && ') || undefined,
  environment: Object.assign({}, ...order.map(({ environment }) => environment)),
});

/** @throws BuildFailed with the programs to install. */
export const requireTools = ({ needs = [], rules }: BuildPlan, machine: Machine): void => {
  const missing = needs.filter(({ program }) => !machine.has(program));
  if (missing.length === 0) return;
  const names = missing.map(({ program }) => program).join(' and ');
  const programs = missing.map(({ install }) => install).join(' and ');
  throw new BuildFailed(`${rules[0]}, but ${machine.name} has no ${names}: install ${programs} on it`);
};

/**
 * How the build result is started if its owner has not set a start command.
 * @param unusedDockerfile the message if only a Dockerfile defines it.
 * @throws BuildFailed if no start is found.
 */
export const startOf = async (directory: string, buildPlan: BuildPlan, unusedDockerfile: string): Promise<Start> => {
  const built = projectIn(directory);
  const { web } = processTypes((await built.read('Procfile')) ?? '');
  const isOwn = web === undefined || buildPlan.startsInsteadOf?.(web) === true;
  const found = isOwn ? await buildPlan.start?.(built) : undefined;
  const start = found ?? (await findStart(directory));
  if (start) return start;
  const folders = (await foldersThatStart(built)).slice(0, 5);
  if (folders.length > 0)
    throw new BuildFailed(
      `no start command: package.json in the root folder has no start script, but ${folders.join(', ')} ${folders.length === 1 ? 'has' : 'have'} one; set root_directory to ${folders.length === 1 ? '' : 'one of them, such as '}${folders[0]}`,
    );
  const folder = await folderOfProject(built);
  if (folder !== undefined)
    throw new BuildFailed(
      `no start command: the root folder of the repository has no project, but ${folder} has one; set root_directory to ${folder}`,
    );
  if (await built.has('Dockerfile')) throw new BuildFailed(unusedDockerfile);
  const programs = buildPlan.programs === undefined ? [] : await programsIn(built, buildPlan.programs);
  if (programs.length > 1)
    throw new BuildFailed(
      `no start command: the build made several programs (${programs.slice(0, 5).join(', ')}); set start_command to one of them, such as ./${buildPlan.programs}/${programs[0]}`,
    );
  const other = await otherLanguageOf(built);
  if (other)
    throw new BuildFailed(
      `no start command: ${other.file} found, but Postern has no rule for ${other.language}; add a Dockerfile, or set build_command and start_command`,
    );
  throw new BuildFailed(
    'no start command: set one, or add a web line in a Procfile, a start script in package.json, or an index.html',
  );
};

/** Folders such as apps/web whose package.json has a start script, in a repository with a package.json in its root folder. */
const foldersThatStart = async (built: Project): Promise<readonly string[]> => {
  if (!(await built.has('package.json'))) return [];
  const paths = (await built.files('.', 2)).filter(path => path.endsWith('/package.json')).slice(0, 50);
  const starting = await Promise.all(paths.map(async path => startScriptIn((await built.readBeginning(path)) ?? '')));
  return paths.filter((_, place) => starting[place]).map(path => dirname(path));
};

const startScriptIn = (manifest: string): boolean => {
  try {
    return hasStartScript(packageManifest(manifest) ?? {});
  } catch {
    return false;
  }
};

const MANIFESTS =
  /^([^/]+)\/(package\.json|requirements\.txt|pyproject\.toml|go\.mod|Gemfile|composer\.json|pom\.xml|Cargo\.toml|hugo\.toml|config\.toml)$/;

/** The first folder of the repository with a manifest that a builder supports. */
const folderOfProject = async (built: Project): Promise<string | undefined> => {
  const paths = await built.files('.', 1);
  return paths.map(path => MANIFESTS.exec(path)?.[1]).find(folder => folder !== undefined);
};
