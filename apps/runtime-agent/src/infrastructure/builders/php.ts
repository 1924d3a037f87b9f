import { type Builder, commandStart, type Tool } from './build-plan.js';
import { processTypes } from './procfile.js';
import type { Project } from './project.js';

const PHP: Tool = { program: 'php', install: 'PHP' };
const COMPOSER: Tool = { program: 'composer', install: 'Composer' };
const INSTALL = 'composer install --no-dev --no-interaction --optimize-autoloader';

/** Projects with a composer.json or an index.php. */
export const php: Builder = async project => {
  const composer = await project.read('composer.json');
  if (composer === undefined && !(await project.has('index.php'))) return undefined;
  const installs = composer !== undefined && needsPackages(composer);
  const own = await herokuFolder(project);
  const rules = own === undefined ? [] : [`Procfile: the web server of Heroku is not used: php -S serves ${own}`];
  if (installs) rules.unshift(`composer.json found: ${INSTALL}`);
  else
    rules.unshift(composer === undefined ? 'index.php found: php -S' : 'composer.json without packages found: php -S');
  const starts = await Promise.all(['index.php', 'public/index.php', 'web/index.php', 'artisan'].map(project.has));
  return {
    rules,
    isOnlyTools: own === undefined && !starts.includes(true),
    ...(installs && { command: INSTALL }),
    needs: installs ? [PHP, COMPOSER] : [PHP],
    startsInsteadOf: web => servedFolder(web) !== undefined,
    start: async built => {
      const folders = own === undefined ? ['public', 'web', '.'] : [own];
      for (const folder of folders)
        if (await built.has(`${folder}/index.php`)) return commandStart(`php -S "0.0.0.0:$PORT" -t ${folder}`);
      return undefined;
    },
  };
};

/** Platform packages such as `php` and `ext-json` are part of PHP. */
const needsPackages = (composer: string): boolean => {
  try {
    const { require = {} } = JSON.parse(composer) as { readonly require?: object };
    return Object.keys(require).some(name => name.includes('/'));
  } catch {
    return true;
  }
};

const HEROKU = /^(?:vendor\/bin\/)?heroku-php-(?:apache2|nginx)$/;
/** Options of Heroku's web servers that have no value. */
const FLAGS = new Set(['-h', '--help', '-t', '--test', '-v', '--verbose']);

/** The folder that a command of Heroku's web servers serves; undefined for other commands. */
const servedFolder = (command: string): string | undefined => {
  const [program = '', ...words] = command.split(/\s+/);
  if (!HEROKU.test(program)) return undefined;
  let at = 0;
  while (words[at]?.startsWith('-')) at += FLAGS.has(words[at]!) ? 1 : 2;
  const [folder = '.', ...more] = words.slice(at);
  return more.length === 0 && /^[\w./-]+$/.test(folder) ? withoutSlashes(folder) : undefined;
};

const withoutSlashes = (folder: string): string => {
  let end = folder.length;
  while (end > 1 && folder[end - 1] === '/') end -= 1;
  return folder.slice(0, end);
};

const herokuFolder = async (project: Project): Promise<string | undefined> =>
  servedFolder(processTypes((await project.read('Procfile')) ?? '')['web'] ?? '');
