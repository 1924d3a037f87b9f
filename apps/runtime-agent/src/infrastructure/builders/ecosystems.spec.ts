import { describe, expect, it } from '@jest/globals';
import { BuildFailed } from '@postern/runtime';
import { deno } from './deno.js';
import { hugo } from './hugo.js';
import { php } from './php.js';
import { machineWith } from './testing/machine-with.js';
import { projectOf } from './testing/project-of.js';

const none = machineWith();

describe('A site of Hugo', () => {
  const site = { 'config.toml': 'theme = "plain"\n', 'content/post.md': '' };

  it('is built by Hugo and served from public', async () => {
    const buildPlan = await hugo(projectOf({ ...site, 'themes/plain/theme.toml': '' }), none);
    expect(buildPlan?.rules).toEqual(['config.toml found: hugo --destination public']);
    expect(await buildPlan?.start?.(projectOf({}))).toEqual({ kind: 'static', folder: 'public' });
  });

  it('fails with advice if its theme is missing', async () => {
    await expect(hugo(projectOf(site), none)).rejects.toThrow(BuildFailed);
    await expect(hugo(projectOf(site), none)).rejects.toThrow(/themes\/plain has no files.*commit its files/);
    const elsewhere = { ...site, 'config.toml': 'theme = "plain"\nthemesDir = "../shared"\n' };
    expect(await hugo(projectOf(elsewhere), none)).toBeDefined();
  });

  it('is not detected by a config.toml alone', async () => {
    expect(await hugo(projectOf({ 'config.toml': '' }), none)).toBeUndefined();
    expect(await hugo(projectOf({ 'hugo.toml': '' }), none)).toBeDefined();
  });
});

describe('A project of PHP', () => {
  it.each<readonly [string, string, boolean]>([
    ['{}', 'composer.json without packages found: php -S', false],
    ['{"require": {"php": "^8.1", "ext-json": "*"}}', 'composer.json without packages found: php -S', false],
    ['{"require": {"slim/slim": "^4"}}', 'composer.json found: composer install', true],
  ])('with the composer.json %s needs Composer only for packages', async (manifest, rule, needsComposer) => {
    const buildPlan = await php(projectOf({ 'composer.json': manifest }), none);
    expect(buildPlan?.rules[0]).toContain(rule);
    expect(buildPlan?.needs?.some(({ program }) => program === 'composer')).toBe(needsComposer);
  });

  it.each([
    ['heroku-php-apache2 web/', 'web'],
    ['vendor/bin/heroku-php-nginx -C nginx.conf public/', 'public'],
    ['heroku-php-nginx -C nginx.conf -F fpm.conf', '.'],
    ['heroku-php-apache2 -v -p 80 public//', 'public'],
    ['heroku-php-apache2', '.'],
  ])('with %s in its Procfile is served by PHP from %s', async (web, folder) => {
    const files = { 'composer.json': '{}', Procfile: `web: ${web}\n`, [`${folder}/index.php`]: '' };
    const plain = Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replace(/^\.\//, ''), text]));
    const buildPlan = await php(projectOf(plain), none);
    expect(buildPlan?.startsInsteadOf?.(web)).toBe(true);
    expect(buildPlan?.startsInsteadOf?.('php -S 0.0.0.0:$PORT')).toBe(false);
    expect(await buildPlan?.start?.(projectOf(plain))).toEqual({
      kind: 'command',
      command: `php -S "0.0.0.0:$PORT" -t ${folder}`,
    });
  });
});

describe('A project of Deno', () => {
  const main = { 'main.ts': 'Deno.serve(() => new Response("hi"))' };

  it('gets Deno through npm if the machine does not have it', async () => {
    const buildPlan = await deno(projectOf(main), none);
    expect(buildPlan?.rules).toEqual([
      'main.ts found: deno run main.ts',
      'this machine has no deno: npm installs deno@2',
    ]);
    expect(buildPlan?.command).toMatch(
      /^npm install .* --prefix \.postern deno@2 && DENO_DIR="\$PWD\/\.deno" \.postern\//,
    );
    expect(buildPlan?.needs).toBeUndefined();
  });

  it('stores imported modules in the artefact', async () => {
    const buildPlan = await deno(projectOf(main), machineWith('deno'));
    expect(buildPlan?.command).toBe('DENO_DIR="$PWD/.deno" deno cache main.ts');
    expect(await buildPlan?.start?.(projectOf(main))).toMatchObject({
      command: 'DENO_DIR="$PWD/.deno" deno run --allow-net --allow-env --allow-read main.ts',
    });
  });

  it.each([
    ['deno.json', '{"tasks": {"build": "deno bundle", "start": "deno run out.js"}}'],
    ['deno.json', '{"tasks": {"check": {"command": "deno check"}, "build": {"command": "deno bundle"}}}'],
    ['deno.jsonc', '\uFEFF{\n  // tasks: {\n  "tasks": {"a": "echo \\"//\\"", /* } */ "build": "deno bundle",},\n}\n'],
  ])('is built by its task in %s: %s', async (file, text) => {
    const buildPlan = await deno(projectOf({ [file]: text }), machineWith('deno'));
    expect(buildPlan?.command).toBe('DENO_DIR="$PWD/.deno" deno task build');
  });
});
