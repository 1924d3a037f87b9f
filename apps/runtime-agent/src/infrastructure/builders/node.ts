import type { Builder, BuildPlan } from './build-plan.js';
import { packageManagerOf } from './node-package-manager.js';
import { hasStartScript, nodeStart } from './node-start.js';
import { installTools, nodeVersionFor } from './node-version.js';
import type { PackageJson } from './package-json.js';
import type { Project } from './project.js';
import { quoted } from './quoted.js';

/** Projects with a package.json: npm, Yarn, pnpm and Bun. */
export const node: Builder = async (project, machine) => {
  const manifest = await project.packageJson();
  if (!manifest) return undefined;
  const { dependencies = {}, devDependencies = {}, scripts = {} } = manifest;
  const needsPackages = Object.keys(dependencies).length + Object.keys(devDependencies).length > 0;
  const start = nodeStart(manifest);
  const runtime = await nodeVersionFor(project, manifest, machine);
  const hints = start.rule ? [start.rule] : [];
  if (!needsPackages && scripts['build'] === undefined) {
    const nothing = hints.length > 0 ? hints : ['package.json without packages found: nothing is installed'];
    return { rules: nothing, runtime, start: start.find };
  }
  const manager = await packageManagerOf(project, manifest);
  const old = oldWebpack({ ...dependencies, ...devDependencies });
  const rules = [manager.rule, ...hints, ...(old ? [old.rule] : [])];
  if (scripts['build'] !== undefined) rules.push(`package.json has a build script: ${manager.name} run build`);
  const tools = toolsFor(manifest, manager.provider);
  const variables = await missingVariablesFile(project, scripts['start']);
  if (variables !== undefined)
    rules.push(
      `the start script reads ${variables}, which is not in the repository: it is empty, set variables instead`,
    );
  const created = variables === undefined ? [] : [`: >> ${quoted(variables)}`];
  return {
    rules,
    runtime,
    command: [manager.install, buildWith(manager.name, manager.run, scripts), ...tools, ...created]
      .filter(Boolean)
      .join(' && '),
    environment: { YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_TELEMETRY: '0', ...old?.environment },
    start: start.find,
  } satisfies BuildPlan;
};

const buildWith = (name: string, run: string, scripts: Readonly<Record<string, unknown>>): string => {
  if (name === 'npm') return 'npm run build --if-present';
  return scripts['build'] === undefined ? '' : `${run} run build`;
};

/** Node.js does not start without a file that `--env-file` names, which repositories leave out on purpose. */
const missingVariablesFile = async (project: Project, start: unknown): Promise<string | undefined> => {
  const file = /--env-file[= ]([\w.-]{1,100})(?:\s|$)/.exec(typeof start === 'string' ? start : '')?.[1];
  return file === undefined || (await project.has(file)) ? undefined : file;
};

/** A start script may call the package manager, which the machine does not have. @returns commands that install it. */
export const toolsFor = (manifest: PackageJson, provider: string | undefined): readonly string[] => {
  const { scripts = {} } = manifest;
  const script = `${scripts['prestart'] ?? ''} ${scripts['start'] ?? ''}`;
  const runsBun = provider?.startsWith('bun@') === true && !hasStartScript(manifest) && manifest.module !== undefined;
  if (provider === undefined || !(runsBun || /\b(yarn|pnpm|bunx?)\b/.test(script))) return [];
  return [installTools(provider)];
};

/** These versions use hash algorithms that OpenSSL 3 disables by default. */
const oldWebpack = (packages: Readonly<Record<string, unknown>>) => {
  const bounds = { 'react-scripts': 5, webpack: 5, '@vue/cli-service': 5, next: 11 } as const;
  for (const [name, first] of Object.entries(bounds)) {
    const major = Number(/(\d+)/.exec(String(packages[name] ?? ''))?.[1] ?? first);
    if (major < first)
      return {
        rule: `${name} ${major} found: NODE_OPTIONS=--openssl-legacy-provider, for its hashes`,
        environment: { NODE_OPTIONS: '--openssl-legacy-provider' },
      };
  }
  return undefined;
};
