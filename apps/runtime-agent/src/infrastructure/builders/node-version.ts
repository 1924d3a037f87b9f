import { intersects, satisfies, validRange } from 'semver';
import type { Runtime } from './build-plan.js';
import type { Machine } from './machine.js';
import type { PackageJson } from './package-json.js';
import type { Project } from './project.js';
import { TOOL_PROGRAMS, TOOLS } from './start.js';

/** Installs npm packages whose programs are needed at run time. */
export const installTools = (...packages: readonly string[]): string =>
  `npm install --no-save --no-package-lock --prefix ${TOOLS} ${packages.join(' ')}`;

/** Code names of long-term support versions (nodejs/Release). */
const CODE_NAMES: Readonly<Record<string, number>> = {
  argon: 4,
  boron: 6,
  carbon: 8,
  dubnium: 10,
  erbium: 12,
  fermium: 14,
  gallium: 16,
  hydrogen: 18,
  iron: 20,
  jod: 22,
  krypton: 24,
};
const NEWEST = 40;
const MAX_CHARACTERS = 100;

interface Wanted {
  readonly file: string;
  readonly version: string;
}

/** The Node.js version that the project requires, if this machine's is another one; npm installs it into the artefact. */
export const nodeVersionFor = async (
  project: Project,
  manifest: PackageJson,
  machine: Machine,
): Promise<Runtime | undefined> => {
  const wanted = await wantedIn(project, manifest);
  if (!wanted) return undefined;
  const own = process.versions.node;
  const requires = `${wanted.file} requires Node.js ${wanted.version}`;
  const range = rangeOf(wanted.version);
  if (range === undefined) return { rule: `${requires}, which is not a version: Node.js ${own} is used` };
  if (satisfies(own, range)) return undefined;
  const packages = [`node@${range}`, ...npmFor(range)].map(name => `'${name}'`);
  const otherwise = `Node.js ${range.replaceAll(/[<>|]/g, '\\$&')} cannot be installed by npm: Node.js ${own} of ${machine.name} is used`;
  return {
    rule: `${requires}: npm installs it`,
    command: `{ ${installTools(...packages)} && ${TOOL_PROGRAMS}/node --version || { rm -rf ${TOOL_PROGRAMS}/node ${TOOL_PROGRAMS}/npm; echo ${otherwise}; }; } && export PATH="$PWD/${TOOL_PROGRAMS}:$PATH"`,
  };
};

const wantedIn = async (project: Project, { engines, volta }: PackageJson): Promise<Wanted | undefined> => {
  for (const file of ['.nvmrc', '.node-version']) {
    const version = firstWord(await project.read(file));
    if (isVersion(version)) return { file, version };
  }
  const tool = /^node(?:js)?[ \t]+(\S+)/m.exec((await project.read('.tool-versions')) ?? '')?.[1];
  if (isVersion(tool)) return { file: '.tool-versions', version: tool };
  const mise = /^node[ \t]*=[ \t]*["']([^"'\n]+)["']/m.exec((await project.read('mise.toml')) ?? '')?.[1];
  if (isVersion(mise)) return { file: 'mise.toml', version: mise };
  const version = [nodeOf(volta), nodeOf(engines)].find(isVersion);
  return version === undefined ? undefined : { file: 'package.json', version };
};

const isVersion = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text.length <= MAX_CHARACTERS;

/** The first word of the first line that is no comment. */
const firstWord = (text = ''): string | undefined => /^[ \t]*([^\s#]\S*)/m.exec(text)?.[1];

const nodeOf = (versions: unknown): unknown => (versions as { readonly node?: unknown } | null | undefined)?.node;

/** The range of npm for a version as nvm and its kin write it; undefined for a text that names none. */
const rangeOf = (version: string): string | undefined => {
  if (/^(node|stable|latest|current|lts|lts\/\*|lts-latest)$/i.test(version)) return '*';
  const name = /^(?:lts[/-])?([a-z]+)$/i.exec(version)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(CODE_NAMES, name)) return `${CODE_NAMES[name]}.x`;
  return validRange(version) ?? undefined;
};

/** The npm of this machine does not run on old versions of Node.js. */
const npmFor = (range: string): readonly string[] => {
  let major = NEWEST;
  while (major > 0 && !intersects(range, `${major}.x`)) major -= 1;
  if (major >= 20) return [];
  if (major >= 18) return ['npm@10'];
  return [major >= 15 ? 'npm@8' : 'npm@6'];
};
