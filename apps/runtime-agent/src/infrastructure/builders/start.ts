import { z } from 'zod';
import { processTypes } from './procfile.js';
import { projectIn } from './project.js';
import { quoted } from './quoted.js';

const command = z.object({ kind: z.literal('command'), command: z.string() });
const site = z.object({ kind: z.literal('static'), folder: z.string() });
/** The configuration of an image. */
const image = z.object({
  kind: z.literal('image'),
  /** ENTRYPOINT and CMD; empty if the image has neither. */
  argv: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  workingDirectory: z.string(),
  /** The lowest TCP port of EXPOSE. */
  port: z.number().optional(),
  /** USER, which is not used. */
  user: z.string().optional(),
});

/**
 * How an artefact is started if its owner has set no start command; an image also has a working directory and an
 * environment.
 */
export const artefactStart = z.discriminatedUnion('kind', [command, site, image]);

/** The folder of the artefact with programs that are needed at run time, and where npm puts them in it. */
export const TOOLS = '.postern';
export const TOOL_PROGRAMS = `${TOOLS}/node_modules/.bin`;
/** Folders of programs that a project has installed locally; they are on the search path, as in npm scripts. */
const OWN_PROGRAMS = ['node_modules/.bin', '.venv/bin', 'bin', TOOL_PROGRAMS];
/** The search path of a shell whose working directory is the project. */
export const OWN_PATH = `PATH="${OWN_PROGRAMS.map(folder => `$PWD/${folder}:`).join('')}$PATH"`;
/** Characters that make a command more than one program with its arguments. */
const SEVERAL = '*[\\;\\&\\|\\`]*|*"\n"*';
/**
 * A script that runs the command in `$0`. A single program replaces the shell, so that it is the main process: some
 * shells stay its parent and end on SIGTERM before it.
 */
export const SHELL = `export ${OWN_PATH}
case "$0" in
${SEVERAL}) ;;
*) case "$(command -v -- "\${0%% *}")" in */*) exec /bin/sh -c "exec $0" ;; esac ;;
esac
exec /bin/sh -c "$0"`;

/** Like `SHELL`, in a folder of the artefact; programs of the root folder are also found. */
export const shellIn = (folder: string | undefined): string =>
  folder === undefined ? SHELL : `export ${OWN_PATH}\ncd -- ${quoted(folder)} || exit 1\n${SHELL}`;

/** How the result of a builder is started. */
export type Start = Readonly<z.infer<typeof command> | z.infer<typeof site>>;
export type ArtefactStart = Readonly<z.infer<typeof artefactStart>>;
export type ImageStart = Readonly<z.infer<typeof image>>;

/** Output folders of static sites; the project folder comes after the folders that builds create. */
const SITES = ['dist', 'build', 'out', '_site', '.', 'public'];

/**
 * A Procfile's `web`, the `start` script of package.json, a site's index.html, or `start.sh`, in this order.
 * @throws BuildFailed if a file is not valid or too large.
 */
export const findStart = async (directory: string): Promise<Start | undefined> => {
  const project = projectIn(directory);
  const { web } = processTypes((await project.read('Procfile')) ?? '');
  if (web !== undefined) return { kind: 'command', command: web };
  const { start: script, prestart } = (await project.packageJson())?.scripts ?? {};
  if (typeof script === 'string' && script.trim() !== '') {
    const before = typeof prestart === 'string' && prestart.trim() !== '' ? `{ ${prestart}\n} && ` : '';
    return { kind: 'command', command: before + script };
  }
  for (const folder of SITES) if (await project.has(`${folder}/index.html`)) return { kind: 'static', folder };
  const first = await project.readBeginning('start.sh');
  if (first === undefined) return undefined;
  return { kind: 'command', command: `${/^#!.{0,100}\bbash\b/.test(first) ? 'bash' : 'sh'} start.sh` };
};
