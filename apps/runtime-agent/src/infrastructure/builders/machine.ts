import { realpathSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { isProgram } from '../is-program.js';

export const THIS_MACHINE = 'this machine';

/** Information for builders about the building machine or image. */
export interface Machine {
  /** The name in log lines and errors. */
  readonly name: string;
  has(program: string): boolean;
  /** The file name of the target of a program's link, such as `python3.11` for `python3`. */
  realName(program: string): string | undefined;
}

/** The machine with the programs of a search path. */
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
