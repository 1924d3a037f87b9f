import { z } from 'zod';
import { packageJson } from './package-json.js';
import { readSmallFile } from './small-file.js';

const command = z.object({ kind: z.literal('command'), command: z.string() });
const site = z.object({ kind: z.literal('static'), folder: z.string() });
/** What the configuration of an image says. */
const image = z.object({
  kind: z.literal('image'),
  /** ENTRYPOINT and CMD; empty where the image has neither. */
  argv: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  workingDirectory: z.string(),
});

/** What starts an artefact where its service's owner has not said it; an image also says where and with what. */
export const artefactStart = z.discriminatedUnion('kind', [command, site, image]);

/** Programs that a project has installed for itself are found by name, as npm does it. */
const OWN_PROGRAMS = ['node_modules/.bin', '.venv/bin', 'bin', '.postern/node_modules/.bin'];
/** The search path of a shell whose working directory is the project. */
export const OWN_PATH = `PATH="${OWN_PROGRAMS.map(folder => `$PWD/${folder}:`).join('')}$PATH"`;
/** A script that runs the command in its first argument. */
export const SHELL = `${OWN_PATH} exec /bin/sh -c "$0"`;

/** What starts the result of a builder. */
export type Start = Readonly<z.infer<typeof command> | z.infer<typeof site>>;
export type ArtefactStart = Readonly<z.infer<typeof artefactStart>>;
export type ImageStart = Readonly<z.infer<typeof image>>;

/** Where builds of static sites leave them; the project's own folder comes after those that a build makes. */
const SITES = ['dist', 'build', 'out', '_site', '.', 'public'];
const PAGE_BYTES = 64 * 2 ** 20;

/** A Procfile's `web`, the `start` script of package.json, or a site's index.html, in this order. */
export const findStart = async (directory: string): Promise<Start | undefined> => {
  const web = /^web:[ \t]*(\S.*)$/m.exec((await readSmallFile(directory, 'Procfile')) ?? '')?.[1]?.trim();
  if (web) return { kind: 'command', command: web };
  const { start: script, prestart } = (await packageJson(directory))?.scripts ?? {};
  if (typeof script === 'string' && script.trim() !== '') {
    const before = typeof prestart === 'string' && prestart.trim() !== '' ? `{ ${prestart}\n} && ` : '';
    return { kind: 'command', command: before + script };
  }
  for (const folder of SITES)
    if ((await readSmallFile(directory, `${folder}/index.html`, PAGE_BYTES)) !== undefined)
      return { kind: 'static', folder };
  return undefined;
};
