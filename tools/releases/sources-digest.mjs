/** The digest of a service's sources, to compare its image with the snapshot of its release. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const read = path => JSON.parse(readFileSync(path, 'utf8'));

/** Files that every image is built from; the `postern` command is in each image. */
const SHARED_FILES = ['docker/Dockerfile', '.dockerignore', 'tsconfig.base.json', 'package.json', 'package-lock.json'];
const TOOLS = ['command', 'images'];
/** Files that a release itself writes, or that are not part of an image. */
const EXCLUDED = /(\.md|\.spec\.ts|\/service\.json)$|^libs\/contracts\/released\//;

/** Folders of the workspace packages by package name and project name. */
const workspaceFolders = root => {
  const { packages } = read(join(root, 'package-lock.json'));
  const folders = Object.keys(packages).filter(path => /^(apps|libs|tools)\/[^/]+$/.test(path));
  return new Map(
    folders.flatMap(folder => {
      const { name, nx } = read(join(root, folder, 'package.json'));
      return [[name, folder], ...(nx?.name ? [[nx.name, folder]] : [])];
    }),
  );
};

/** The folders of the service and of all workspaces that it depends on. */
export const foldersOf = (root, service, tools = TOOLS) => {
  const folders = workspaceFolders(root);
  const found = new Set();
  const add = name => {
    const folder = folders.get(name);
    if (!folder || found.has(folder)) return;
    found.add(folder);
    const { dependencies = {}, nx } = read(join(root, folder, 'package.json'));
    for (const dependency of [...Object.keys(dependencies), ...(nx?.implicitDependencies ?? [])]) add(dependency);
  };
  for (const name of [service, ...tools]) add(name);
  return [...found];
};

/** The content of a file without the versions of workspace packages, which a release raises. */
const contentOf = (root, path) => {
  const file = join(root, path);
  if (lstatSync(file).isSymbolicLink()) return readlinkSync(file);
  if (path === 'package-lock.json') {
    const { packages, ...rest } = read(file);
    const own = ([folder, entry]) => [folder, folder.includes('node_modules/') ? entry : { ...entry, version: '' }];
    return JSON.stringify({ ...rest, packages: Object.fromEntries(Object.entries(packages).map(own)) });
  }
  return path.endsWith('/package.json') ? JSON.stringify({ ...read(file), version: '' }) : readFileSync(file);
};

/** Files and folders that the service is built from, including its libraries. */
export const sourcesOf = (root, service) => [
  ...SHARED_FILES,
  'tools/setup',
  `prisma/${service}`,
  ...foldersOf(root, service),
];

/** `sha256:…` of the sources of a service in the folder, including its libraries and build files. */
export const sourcesDigest = (root, service) => {
  const sources = sourcesOf(root, service);
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...sources],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const paths = [...new Set(listed.split('\0'))].filter(
    path => path !== '' && !EXCLUDED.test(path) && existsSync(join(root, path)),
  );
  const hash = createHash('sha256');
  for (const path of paths.sort())
    hash.update(`${path}\0`).update(createHash('sha256').update(contentOf(root, path)).digest());
  return `sha256:${hash.digest('hex')}`;
};
