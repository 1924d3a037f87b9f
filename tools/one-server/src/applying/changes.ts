import { readIfExists, readJson, sha256 } from '../machine/files.js';
import type { RenderedFile } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';

/** The files that the last application wrote, so that those that are rendered no longer are deleted. */
export const RECORD = `${PLACES.state}/rendered.json`;

export interface Change {
  readonly path: string;
  readonly before: string | undefined;
  /** Undefined if the file is deleted. */
  readonly after: string | undefined;
  readonly units: RenderedFile['units'];
}

/** What an application would change. @param read returns the content of a file, or undefined. */
export const changesOf = (
  files: readonly RenderedFile[],
  recorded: Readonly<Record<string, string>>,
  read: (path: string) => string | undefined = readIfExists,
): readonly Change[] => {
  const written = files
    .map(({ path, text, units }) => ({ path, before: read(path), after: text, units }))
    .filter(({ before, after }) => before !== after);
  const rendered = new Set(files.map(({ path }) => path));
  const deleted = Object.keys(recorded)
    .filter(path => !rendered.has(path))
    .map(path => ({ path, before: read(path), after: undefined, units: {} }))
    .filter(({ before }) => before !== undefined);
  return [...written, ...deleted];
};

export const recordOf = (files: readonly RenderedFile[]): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map(({ path, text }) => [path, sha256(text)]));

export const recordedFiles = (): Readonly<Record<string, string>> => readJson<Record<string, string>>(RECORD) ?? {};

/** The units to restart, and those to reload, because of changes. A restart includes a reload. */
export const unitsToRestart = (
  changes: readonly Change[],
): { readonly restart: readonly string[]; readonly reload: readonly string[] } => {
  const actions = changes.flatMap(({ units }) => Object.entries(units));
  const named = (wanted: string) => new Set(actions.filter(([, action]) => action === wanted).map(([unit]) => unit));
  const restart = named('restart');
  return { restart: [...restart], reload: [...named('reload')].filter(unit => !restart.has(unit)) };
};
