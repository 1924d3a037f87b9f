import { realpathSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { isProgram } from '../is-program.js';

export const THIS_MACHINE = 'this machine';

/** What builders may ask of the machine that builds, or of the image. */
export interface Machine {
  /** What rules and errors call it. */
  readonly name: string;
  has(program: string): boolean;
  /** The file name that a program's link leads to, such as `python3.11` for `python3`. */
  realName(program: string): string | undefined;
}

/** The machine as the programs of a search path show it. */
export const machineOf = (path: string, name = THIS_MACHINE): Machine => {
  const find = (program: string): string | undefined =>
    path
      .split(delimiter)
      .map(folder => join(folder, program))
      .find(isProgram);
  return {
    name,
    has: program => find(program) !== undefined,
    realName: program => {
      const found = find(program);
      return found && basename(realpathSync(found));
    },
  };
};
