import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildPlanFor, startOf } from './builders.js';
import { java } from './java.js';
import { findStart } from './start.js';
import { machineWith } from './testing/machine-with.js';
import { projectOf } from './testing/project-of.js';

type Files = Readonly<Record<string, string>>;

const HERE = machineWith('python3=python3.11', 'npm');
const commandOf = async (source: Files, result: Files = source) => {
  const { start } = await buildPlanFor(projectOf(source), HERE);
  return start?.(projectOf(result));
};

describe('The start of what a build has made', () => {
  it.each<readonly [string, Files, Files, string]>([
    [
      'the program of Cargo that default-run names',
      { 'Cargo.toml': '[package]\nname = "shop"\ndefault-run = "site"\n' },
      { 'target/release/shop': '', 'target/release/site': '' },
      './target/release/site',
    ],
    [
      'the only program of a workspace of Cargo',
      { 'Cargo.toml': '[workspace]\nmembers = ["api"]\n', 'Cargo.lock': '' },
      { 'target/release/shop-api': '', 'target/release/shop-api.d': '', 'target/release/libshop.rlib': '' },
      './target/release/shop-api',
    ],
    [
      'Rocket in a workspace, which does not read PORT',
      { 'Cargo.toml': '[workspace]\nmembers = ["api"]\n', 'Cargo.lock': '[[package]]\nname = "rocket"\n' },
      { 'target/release/api': '' },
      'ROCKET_ADDRESS=0.0.0.0 ROCKET_PORT="$PORT" ./target/release/api',
    ],
    [
      'Django in a folder below the requirements',
      {
        'requirements.txt': 'django',
        'shop/manage.py': '',
        'shop/shop/settings.py': "WSGI_APPLICATION = 'shop.wsgi.application'\n",
      },
      {},
      `.venv/bin/python -m gunicorn.app.wsgiapp --bind "0.0.0.0:$PORT" --pythonpath 'shop' shop.wsgi:application`,
    ],
  ])('is %s', async (_, source, result, command) => {
    expect(await commandOf(source, result)).toEqual({ kind: 'command', command });
  });

  it('of Django in a folder has its static files', async () => {
    const { command } = await buildPlanFor(
      projectOf({ 'requirements.txt': '', 'shop/manage.py': '', 'shop/shop/settings.py': 'STATIC_ROOT = "x"' }),
      HERE,
    );
    expect(command).toMatch(/\.venv\/bin\/python 'shop\/'manage\.py collectstatic --noinput$/);
  });

  it('of Django does not need static files whose folder depends on a condition', async () => {
    const settings = 'if not DEBUG:\n    STATIC_ROOT = "x"\n';
    const { command } = await buildPlanFor(
      projectOf({ 'requirements.txt': '', 'manage.py': '', 'shop/settings.py': settings }),
      HERE,
    );
    expect(command).toMatch(/collectstatic --noinput \|\| echo 'The static files are not collected: .*'; }$/);
  });

  it('is the site that Jekyll builds', async () => {
    const site = { Gemfile: 'source \'https://rubygems.org\'\ngem "jekyll"\n', '_config.yml': '', 'index.html': '' };
    const { command, start } = await buildPlanFor(projectOf(site), HERE);
    expect(command).toMatch(/bundle install && bundle exec jekyll build$/);
    expect(await start?.(projectOf({}))).toEqual({ kind: 'static', folder: '_site' });
  });

  it('of Java by a wrapper with Windows line ends names the cure', async () => {
    await expect(java(projectOf({ 'pom.xml': '', mvnw: '#!/bin/sh\r\nexec java\r\n' }), HERE)).rejects.toThrow(
      'mvnw cannot be started, because its lines end as on Windows (CRLF)',
    );
  });
});

describe('The start of a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'starts-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ['sh', 'exec ./server\n'],
    ['sh', '#!/bin/sh\nexec ./server\n'],
    ['bash', '#!/usr/bin/env bash\nexec ./server\n'],
  ])('is start.sh, run by %s', async (shell, script) => {
    await writeFile(join(folder, 'start.sh'), script);
    expect(await findStart(folder)).toEqual({ kind: 'command', command: `${shell} start.sh` });
    await writeFile(join(folder, 'index.html'), '');
    expect(await findStart(folder)).toEqual({ kind: 'static', folder: '.' });
  });

  it('fails with the programs to choose from', async () => {
    await mkdir(join(folder, 'bin'));
    for (const name of ['seed', 'worker']) await writeFile(join(folder, 'bin', name), '');
    await expect(startOf(folder, { rules: [], programs: 'bin' }, '')).rejects.toThrow(
      'the build made several programs (seed, worker); set start_command to one of them, such as ./bin/seed',
    );
  });

  it.each([
    ['shop.csproj', '.NET'],
    ['mix.exs', 'Elixir'],
    ['pubspec.yaml', 'Dart'],
  ])('fails with the language of %s', async (file, language) => {
    await writeFile(join(folder, file), '');
    await expect(startOf(folder, { rules: [] }, '')).rejects.toThrow(
      `${file} found, but Postern has no rule for ${language}; add a Dockerfile`,
    );
  });
});
