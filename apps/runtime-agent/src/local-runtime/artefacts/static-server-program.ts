import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { STATIC_SERVER as SOURCE } from '../../program-files.js';

/**
 * Copies the static server and the packages that it imports to the platform's home, because the users of web services can enter that
 * folder, but not Postern's installation folder.
 * @returns the path of the copy; an existing copy of the same content is reused.
 */
export const installStaticServer = async (platformHome: string): Promise<string> => {
  const packages = await packagesFrom(SOURCE, ['sirv']);
  const digest = createHash('sha256').update(await readFile(SOURCE));
  for (const folder of packages.values()) digest.update(await readFile(join(folder, 'package.json')));
  const parent = join(platformHome, 'static-server');
  const target = join(parent, digest.digest('hex').slice(0, 16));
  const program = join(target, basename(SOURCE));
  if (existsSync(program)) return program;
  const draft = join(parent, `draft-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  await cp(SOURCE, join(draft, basename(SOURCE)));
  await writeFile(join(draft, 'package.json'), '{"type":"module"}');
  for (const [name, folder] of packages)
    await cp(folder, join(draft, 'node_modules', name), { recursive: true, dereference: true });
  await promisify(execFile)('chmod', ['-R', 'u+rwX,go=u-w', '--', draft]);
  await chmod(parent, 0o711);
  await rename(draft, target).catch(async error => {
    // Another Postern process created it first.
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(program)) throw error;
  });
  return program;
};

/** The folders of the packages and of all their dependencies, by name. */
const packagesFrom = async (importer: string, names: readonly string[]): Promise<Map<string, string>> => {
  const found = new Map<string, string>();
  for (const name of names) {
    const folder = packageFolder(createRequire(importer).resolve(name), name);
    found.set(name, folder);
    const manifest = join(folder, 'package.json');
    const { dependencies = {} } = JSON.parse(await readFile(manifest, 'utf8')) as { dependencies?: object };
    for (const [inner, place] of await packagesFrom(manifest, Object.keys(dependencies))) found.set(inner, place);
  }
  return found;
};

const packageFolder = (file: string, name: string): string => {
  let folder = dirname(file);
  while (!folder.endsWith(join('node_modules', name))) {
    if (folder === dirname(folder)) throw new Error(`${name} is not installed as a package`);
    folder = dirname(folder);
  }
  return folder;
};
