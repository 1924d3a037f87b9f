import { type Builder, commandStart, type Tool } from './build-plan.js';
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
  return {
    rules,
    ...(installs && { command: INSTALL }),
    needs: installs ? [PHP, COMPOSER] : [PHP],
    startsInsteadOf: web => HEROKU.test(web),
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

/** Commands of Heroku's web servers, with options and the served folder. */
const HEROKU = /^(?:vendor\/bin\/)?heroku-php-(?:apache2|nginx)((?:\s+-\S+(?:\s+\S+)?)*?)(?:\s+([\w./-]+))?$/;

const herokuFolder = async (project: Project): Promise<string | undefined> => {
  const web = /^web:[ \t]*(\S.*)$/m.exec((await project.read('Procfile')) ?? '')?.[1]?.trim();
  const found = HEROKU.exec(web ?? '');
  return found ? (found[2]?.replace(/(?<=.)\/+$/, '') ?? '.') : undefined;
};
