import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { BuildsFixture } from './testing/builds-fixture.js';

const SERVER = 'package main\n\nimport "os"\n\nfunc main() { os.Stdout.WriteString(os.Getenv("PORT")) }\n';

/** Projects without packages of a registry, each with a file to expect in the artefact and the line about its start. */
const PROJECTS = [
  {
    ecosystem: 'Python',
    program: 'python3',
    install: 'Python 3 with its venv module',
    files: { 'requirements.txt': '', 'main.py': 'print("hi")\n' },
    rule: 'requirements.txt found: pip install -r requirements.txt',
    made: '.venv/pyvenv.cfg',
    starts: 'Starts by: .venv/bin/python main.py',
  },
  {
    ecosystem: 'Go',
    program: 'go',
    install: 'Go, on the path',
    files: { 'go.mod': 'module example.org/shop\n\ngo 1.20\n', 'main.go': SERVER },
    rule: 'go.mod found: mkdir -p bin && go build -o bin/ ./...',
    made: 'bin/shop',
    starts: 'Starts by: ./bin/shop',
  },
  {
    ecosystem: 'PHP',
    program: 'php',
    install: 'PHP',
    files: { 'composer.json': '{}', Procfile: 'web: heroku-php-nginx web/\n', 'web/index.php': '<?php echo 1;' },
    rule: 'composer.json without packages found: php -S',
    made: 'web/index.php',
    starts: 'Starts by: php -S "0.0.0.0:$PORT" -t web',
  },
  {
    ecosystem: 'Hugo',
    program: 'hugo',
    install: 'the extended edition of Hugo',
    files: {
      'hugo.toml': 'baseURL = "/"\ndisableKinds = ["RSS", "sitemap"]\n',
      'layouts/index.html': '<title>{{ site.BaseURL }}</title>',
    },
    rule: 'hugo.toml found: hugo --destination public',
    made: 'public/index.html',
    starts: 'Serves the files in public',
  },
  {
    ecosystem: 'Rust',
    program: 'cargo',
    install: 'Rust with Cargo, for all users',
    files: {
      'Cargo.toml': '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n',
      'src/main.rs': 'fn main() { println!("hi") }\n',
    },
    rule: 'Cargo.toml found: cargo build --release',
    made: 'target/release/shop',
    starts: 'Starts by: ./target/release/shop',
  },
] as const;

describe('A build of a project', () => {
  let fixture: BuildsFixture;
  afterEach(() => fixture.stop());

  it.each(PROJECTS)(
    'in $ecosystem without a build command logs its rules and creates the program, or names the missing tool',
    async ({ program, install, files, rule, made, starts }) => {
      fixture = await BuildsFixture.start();
      const order = await fixture.order(files, { startCommand: undefined, deadlineMs: 240_000 });
      const isHere = fixture.here.path.split(delimiter).some(folder => existsSync(join(folder, program)));
      if (!isHere) {
        await expect(fixture.build(order)).rejects.toThrow(`this machine has no ${program}: install ${install}`);
        return;
      }
      const artefact = await fixture.build(order);
      expect((await fixture.read(artefact, made)).length).toBeGreaterThan(0);
      const lines = await fixture.lines();
      expect(lines).toContain(rule);
      expect(lines.at(-1)).toBe(starts);
    },
    // Compilers build the standard library first.
    300_000,
  );

  it('fails with advice for a known error', async () => {
    fixture = await BuildsFixture.start();
    const files = { 'package.json': '{"dependencies": {"a": "1"}}', 'package-lock.json': '{"lockfileVersion": 3}' };
    const order = await fixture.order(files, { startCommand: undefined });
    await expect(fixture.build(order)).rejects.toThrow(
      /^package-lock\.json does not match package\.json: run npm install and commit the result \(npm ci .* exited with code 1\)$/,
    );
  }, 120_000);

  it('runs in the only folder with a project if the root folder has none, and logs that', async () => {
    fixture = await BuildsFixture.start();
    const files = {
      'compose.yaml': '',
      '.gitignore': '',
      'README.md': '',
      'notes/words.txt': 'shared',
      'website/package.json': '{"scripts": {"build": "pwd > where", "start": "node ."}}',
      'website/index.js': '',
    };
    const order = await fixture.order(files, { startCommand: undefined });
    const artefact = await fixture.build(order);
    expect(await fixture.read(artefact, 'where')).toBe('/app\n');
    await expect(fixture.read(artefact, 'notes/words.txt')).rejects.toThrow('ENOENT');
    const lines = await fixture.lines();
    expect(lines).toContain('website holds the only project of the repository: it is built and started in website');
    expect(lines.at(-1)).toBe('Starts by: node .');
  }, 120_000);

  it('runs in the root folder if the web service has a build command', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order({ 'website/package.json': '{}' }, { buildCommand: 'touch website/index.html' });
    expect(await fixture.read(await fixture.build(order), 'website/package.json')).toBe('{}');
  }, 120_000);

  it('names the folders with a project if there are several', async () => {
    fixture = await BuildsFixture.start();
    const files = { 'shop/go.mod': 'module shop\n', 'website/package.json': '{}' };
    const order = await fixture.order(files, { startCommand: undefined });
    await expect(fixture.build(order)).rejects.toThrow(
      /several folders hold a project \(shop, website\): set root_directory to one of them, such as shop$/,
    );
  }, 120_000);

  it('fails if the project folder has a link to a file outside it', async () => {
    fixture = await BuildsFixture.start();
    const files = {
      'words.txt': 'shared',
      'website/package.json': '{}',
      'website/words.txt': { link: '../words.txt' },
    };
    const build = fixture.build(await fixture.order(files, { startCommand: undefined }));
    await expect(build).rejects.toThrow('the link words.txt points outside website, the folder of the project');
  }, 120_000);

  it('of a root directory has its files only', async () => {
    fixture = await BuildsFixture.start();
    const files = { 'a/package.json': '{}', 'a/index.js': '', 'b/package.json': '{}', 'b/index.js': '' };
    const order = await fixture.order(files, { startCommand: undefined, rootDirectory: 'b' });
    const artefact = await fixture.build(order);
    expect(await readdir(fixture.pathIn(artefact, '.'))).toEqual(['index.js', 'package.json']);
  }, 120_000);

  it('of a workspace installs the packages of the repository, and starts in its folder', async () => {
    fixture = await BuildsFixture.start();
    const files = {
      'package.json': JSON.stringify({ private: true, workspaces: ['apps/*', 'packages/*'] }),
      'apps/web/package.json': JSON.stringify({
        name: 'web',
        version: '1.0.0',
        scripts: { build: 'words > built', start: 'words' },
        dependencies: { words: '*' },
      }),
      'packages/words/package.json': JSON.stringify({
        name: 'words',
        version: '1.0.0',
        bin: './words.js',
        scripts: { build: 'echo built > made' },
      }),
      'packages/words/words.js': '#!/usr/bin/env node\nconsole.log("in", process.cwd())',
    };
    const order = await fixture.order(files, { startCommand: undefined, rootDirectory: 'apps/web' });
    const artefact = await fixture.build(order);
    expect(await fixture.read(artefact, 'apps/web/built')).toBe('in /app/apps/web\n');
    expect(await fixture.read(artefact, 'packages/words/made')).toBe('built\n');
    expect(await fixture.artefacts.metadataOf(artefact.reference)).toMatchObject({
      folder: 'apps/web',
      start: { command: 'words' },
    });
  }, 120_000);
});
