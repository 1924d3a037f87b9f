import { commandStart } from './build-plan.js';
import type { Project } from './project.js';
import type { Start } from './start.js';

const LIKELY = /^(web|server|api|app|main)$/;
const NAME = /^\w[\w.-]*$/;
/** Files that Cargo puts beside the programs. */
const NO_PROGRAM = /\.(?:d|rlib|rmeta|so|a)$/;

/** The programs that a build has put into a folder. */
export const programsIn = async (built: Project, folder: string): Promise<readonly string[]> => {
  const paths = await built.files(folder, 0);
  return paths.map(path => path.slice(folder.length + 1)).filter(name => NAME.test(name) && !NO_PROGRAM.test(name));
};

/** Starts the first program with one of the names or a usual one, or the only program. */
export const programStart = async (
  built: Project,
  folder: string,
  names: readonly (string | undefined)[],
): Promise<Start | undefined> => {
  const programs = await programsIn(built, folder);
  const program =
    names.find(name => name !== undefined && programs.includes(name)) ??
    programs.find(name => LIKELY.test(name)) ??
    (programs.length === 1 ? programs[0] : undefined);
  return program === undefined ? undefined : commandStart(`./${folder}/${program}`);
};
