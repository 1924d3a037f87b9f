import { join } from 'node:path/posix';
import { type BuildPlan, commandStart, staticStart } from './build-plan.js';
import type { Machine } from './machine.js';
import { toolsFor } from './node.js';
import { type PackageManager, packageManagerOf } from './node-package-manager.js';
import { hasStartScript, nodeStart } from './node-start.js';
import { nodeVersionFor } from './node-version.js';
import { type PackageJson, packageManifest } from './package-json.js';
import type { Project } from './project.js';
import { quoted } from './quoted.js';
import type { Start } from './start.js';
import { buildOrderOf, buildToolOf, type Workspace, wayUp, workspacesIn } from './workspaces.js';

/** How a project of a repository with several is built: its packages are those of the root folder. */
export interface WorkspaceProject {
  readonly root: Project;
  readonly manifest: PackageJson;
  readonly workspaces: readonly Workspace[];
  readonly folder: string;
  /** Undefined for a project of Nx without a package of its own. */
  readonly own: Workspace | undefined;
}

/** @returns undefined if the folder can be built without the rest of the repository. */
export const workspaceProjectAt = async (root: Project, folder: string): Promise<WorkspaceProject | undefined> => {
  const manifest = await root.packageJson().catch(() => undefined);
  if (!manifest) return undefined;
  const workspaces = await workspacesIn(root);
  const own = workspaces.find(workspace => workspace.folder === folder);
  const isOfNx = (await buildToolOf(root, manifest)) === 'nx' && (await root.has(`${folder}/project.json`));
  return own || isOfNx ? { root, manifest, workspaces, folder, own } : undefined;
};

/** The only workspace with a start script, if the root folder starts nothing. */
export const onlyWorkspaceThatStarts = async (root: Project): Promise<string | undefined> => {
  const starting = (await workspacesIn(root)).filter(({ manifest }) => hasStartScript(manifest));
  return starting.length === 1 ? starting[0]!.folder : undefined;
};

/** Installs the packages of the repository, builds the project after those that it needs, and starts it in its folder. */
export const workspacePlanFor = async (project: WorkspaceProject, machine: Machine): Promise<BuildPlan> => {
  const { root, manifest, folder, own } = project;
  const manager = await packageManagerOf(root, manifest);
  const start = nodeStart(own?.manifest ?? {});
  const { rule, command } = await buildOf(project, manager);
  const tools = own ? toolsFor(own.manifest, manager.provider).map(tool => inFolder(folder, tool)) : [];
  return {
    folder,
    rules: [
      `${folder} is a workspace of the repository: its packages are installed in the root folder`,
      manager.rule,
      ...(start.rule ? [start.rule] : []),
      ...(rule ? [rule] : []),
    ],
    runtime: await nodeVersionFor(root, manifest, machine),
    command: [manager.install, command, ...tools].filter(Boolean).join(' && '),
    environment: {
      YARN_NODE_LINKER: 'node-modules',
      YARN_ENABLE_TELEMETRY: '0',
      TURBO_TELEMETRY_DISABLED: '1',
      NX_DAEMON: 'false',
    },
    start: async built => (await start.find(built)) ?? (await builtByNx(project)),
  };
};

interface WorkspaceBuild {
  readonly rule?: string;
  readonly command?: string;
}

const buildOf = async (project: WorkspaceProject, manager: PackageManager): Promise<WorkspaceBuild> => {
  const { root, manifest, workspaces, folder, own } = project;
  const tool = await buildToolOf(root, manifest);
  if (tool === 'turbo')
    return {
      rule: `turbo.json found: turbo builds ${folder} and what it needs`,
      command: `node_modules/.bin/turbo run build --filter=${quoted(`./${folder}`)}`,
    };
  if (tool === 'nx') {
    const name = await nxNameOf(project);
    return {
      rule: `nx.json found: nx builds ${name} and what it needs`,
      command: `node_modules/.bin/nx run-many --target=build --projects=${quoted(name)}`,
    };
  }
  const built = own ? buildOrderOf(workspaces, own).filter(({ manifest: { scripts = {} } }) => scripts['build']) : [];
  if (built.length === 0) return {};
  return {
    rule: `build scripts found, in this order: ${built.map(workspace => workspace.folder).join(', ')}`,
    command: built.map(workspace => inFolder(workspace.folder, `${manager.run} run build`)).join(' && '),
  };
};

const inFolder = (folder: string, command: string): string => `(cd ${quoted(folder)} && ${command})`;

const nxNameOf = async ({ root, folder, own }: WorkspaceProject): Promise<string> => {
  try {
    const named = packageManifest(await root.read(`${folder}/project.json`))?.name;
    if (typeof named === 'string') return named;
  } catch {
    // Nx itself reports what is wrong.
  }
  const name = own?.manifest.name;
  return typeof name === 'string' ? name : (folder.split('/').at(-1) ?? folder);
};

/** Nx builds into `dist` of the root folder, unless the project says otherwise. */
const builtByNx = async ({ root, folder }: WorkspaceProject): Promise<Start | undefined> => {
  const output = join('dist', folder);
  const fromFolder = join(wayUp(folder), output);
  for (const main of ['main.js', 'main.cjs', 'main.mjs'])
    if (await root.has(join(output, main))) return commandStart(`node ${quoted(join(fromFolder, main))}`);
  for (const site of ['browser', '.'])
    if (await root.has(join(output, site, 'index.html'))) return staticStart(join(fromFolder, site));
  return undefined;
};
