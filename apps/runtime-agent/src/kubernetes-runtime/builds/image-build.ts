import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/**
 * Makes the image's content of a source, inside the build of the image. It is carried there as this one file, so it
 * imports nothing but Node.js. What a source needs to be built and started is found as the local runtime finds it.
 */
const {
  POSTERN_APP: app = '/app',
  POSTERN_PLAN: plan = '/plan',
  POSTERN_OUT: out = '/postern',
  POSTERN_ENVIRONMENT: environmentFile = '/run/secrets/environment',
} = process.env;

/** The platform reads these words for the deployment's error; nothing else begins with them. */
const fail = (words: string): never => {
  console.log(`postern-build-failed: ${words}`);
  process.exit(1);
};

const SMALL = 2 ** 20;
/** Links are not followed: whose file it is that is read here, is decided by the source alone. */
const read = (name: string, mostBytes = SMALL): string | undefined => {
  const entry = lstatSync(join(app, name), { throwIfNoEntry: false });
  return entry?.isFile() && entry.size <= mostBytes ? readFileSync(join(app, name), 'utf8') : undefined;
};

interface PackageJson {
  readonly dependencies?: object;
  readonly devDependencies?: object;
  readonly scripts?: Readonly<Record<string, unknown>>;
}

const packageJson = (): PackageJson | undefined => {
  const text = read('package.json');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as PackageJson;
  } catch {
    return fail('package.json is not valid');
  }
};

const usualCommand = (): string | undefined => {
  const found = packageJson();
  if (!found) return undefined;
  const { dependencies = {}, devDependencies = {}, scripts = {} } = found;
  const needsPackages = Object.keys(dependencies).length + Object.keys(devDependencies).length > 0;
  if (!needsPackages && scripts['build'] === undefined) return undefined;
  const isLocked = ['package-lock.json', 'npm-shrinkwrap.json'].some(name => read(name, 64 * SMALL) !== undefined);
  return `${isLocked ? 'npm ci' : 'npm install'} && npm run build --if-present`;
};

const order = JSON.parse(readFileSync(join(plan, 'order.json'), 'utf8')) as {
  readonly buildCommand?: string;
  readonly hasStartCommand: boolean;
};

/** As the local runtime names what a repository refers to and does not hold. */
const namesIn = (file: string, pattern: RegExp): string =>
  [...(read(file) ?? '').matchAll(pattern)].map(([, name = '']) => name.trim()).join(', ');
const submodules = namesIn('.gitmodules', /^\s*path\s*=\s*(\S.*)$/gm);
if (submodules !== '') console.log(`.gitmodules found: the submodules ${submodules} are not fetched`);
const largeFiles = namesIn('.gitattributes', /^\s*(\S+)\s.*\bfilter=lfs\b/gm);
if (largeFiles !== '')
  console.log(`.gitattributes found: files of Git LFS (${largeFiles}) are not fetched and stay pointers`);

const command = order.buildCommand ?? usualCommand();
if (command !== undefined) {
  console.log(`$ ${command}`);
  const variables = JSON.parse(readFileSync(environmentFile, 'utf8')) as Record<string, string>;
  const { status, signal } = spawnSync('/bin/sh', ['-c', command], {
    cwd: app,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      LANG: 'C.UTF-8',
      CI: 'true',
      npm_config_update_notifier: 'false',
      npm_config_fund: 'false',
      npm_config_audit: 'false',
      ...variables,
      // Packages for building are devDependencies, which npm leaves out where NODE_ENV says production.
      npm_config_include: 'dev',
    },
  });
  const what = order.buildCommand === undefined ? command : 'the build command';
  if (status !== 0) fail(signal ? `${what} was ended by ${signal}` : `${what} exited with code ${status}`);
}

/** As a word of the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const asCommand = (words: string) => `PATH="$PWD/node_modules/.bin:$PATH" exec /bin/sh -c ${quoted(words)}`;

const processTypes = new Map(
  [...(read('Procfile') ?? '').matchAll(/^([A-Za-z0-9_-]{1,40}):[ \t]*(\S.*)$/gm)].map(
    ([, type = '', words = '']) => [type, words.trim()] as const,
  ),
);

const startOf = (): string | undefined => {
  const web = processTypes.get('web');
  if (web) return asCommand(web);
  const { start, prestart } = packageJson()?.scripts ?? {};
  if (typeof start === 'string' && start.trim() !== '')
    return asCommand(typeof prestart === 'string' && prestart.trim() !== '' ? `{ ${prestart}\n} && ${start}` : start);
  const site = ['dist', 'build', 'out', '_site', '.', 'public'].find(
    folder => read(`${folder}/index.html`, 64 * SMALL) !== undefined,
  );
  if (site === undefined) return undefined;
  const server = readdirSync(plan).find(name => name.startsWith('static-server.')) ?? '';
  copyFileSync(join(plan, server), join(out, server));
  return `cd ${quoted(site)} && exec node "$OLDPWD/../postern/static-server${extname(server)}"`;
};

mkdirSync(join(out, 'processes'), { recursive: true });
const others = [...processTypes].filter(([type]) => type !== 'web' && type !== 'release');
if (others.length > 0)
  console.log(
    `Procfile: ${others.map(([type]) => type).join(', ')} found; the setting processes says how many of them run`,
  );
for (const [type, words] of others)
  writeFileSync(join(out, 'processes', type), `cd "$(dirname "$0")/../../app"\n${asCommand(words)}\n`);
if (!order.hasStartCommand) {
  const start =
    startOf() ??
    fail(
      'nothing starts this service: give it a start command, a web line in a Procfile, a start script in package.json, or an index.html',
    );
  writeFileSync(join(out, 'start'), `cd "$(dirname "$0")/../app"\n${start}\n`);
}
// Instances run as another user than the build.
execFileSync('chmod', ['-R', 'a+rX', app, out]);
