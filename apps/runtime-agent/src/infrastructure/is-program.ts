import { accessSync, constants, statSync } from 'node:fs';

/** Whether the path is a file that this process may execute. */
export const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};
