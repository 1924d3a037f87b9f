import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SecretFiles } from '@postern/runtime';
import type { ConfinedPlace } from './confinement.js';

/** Holds the secret files of an instance, as long as it runs. */
const folderIn = (instanceFolder: string): string => join(instanceFolder, 'secrets');

/** Writes the files so that only processes of the place can read them, and none can change them. @returns their folder. */
export const writeSecretFiles = async (
  instanceFolder: string,
  files: SecretFiles,
  { owner }: Pick<ConfinedPlace, 'owner'>,
): Promise<string> => {
  const folder = folderIn(instanceFolder);
  const folders = new Set([folder]);
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    if (!file.startsWith(`${folder}/`)) throw new Error(`the path of the secret file ${path} is not valid`);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    for (let at = dirname(file); at !== instanceFolder; at = dirname(at)) folders.add(at);
    await writeFile(file, Buffer.from(content, 'base64'), { mode: 0o400, flag: 'wx' });
    if (owner) await chown(file, 0, owner.gid);
    await chmod(file, owner ? 0o440 : 0o400);
  }
  for (const each of folders) {
    if (owner) await chown(each, 0, owner.gid);
    await chmod(each, owner ? 0o750 : 0o700);
  }
  return folder;
};
