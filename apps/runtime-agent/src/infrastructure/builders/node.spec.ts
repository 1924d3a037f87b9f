import { describe, expect, it } from '@jest/globals';
import { node } from './node.js';
import { machineWith } from './testing/machine-with.js';
import { projectOf } from './testing/project-of.js';

const manifest = { dependencies: { express: '5' }, scripts: { start: 'node server.js' } };

const buildPlanOf = async (files: Readonly<Record<string, string | object>>) => {
  const buildPlan = await node(projectOf({ 'package.json': manifest, ...files }), machineWith());
  if (!buildPlan) throw new Error('no project of Node.js');
  return buildPlan;
};

describe('A project of Node.js', () => {
  it.each<readonly [string, Readonly<Record<string, string | object>>, string, string]>([
    ['npm with a lock file', { 'package-lock.json': '{}' }, 'package-lock.json found: npm ci', 'npm ci'],
    ['npm without one', {}, 'no lock file found: npm install', 'npm install'],
    [
      'Yarn 1',
      { 'yarn.lock': '# yarn lockfile v1' },
      'yarn.lock of Yarn 1 found: yarn install --frozen-lockfile',
      'npm exec --yes --package=yarn@1.22.22 -- yarn install --frozen-lockfile',
    ],
    [
      'a newer Yarn',
      { 'yarn.lock': '__metadata:\n  version: 8' },
      'yarn.lock of Yarn 2 or newer found: yarn install --immutable',
      'npm exec --yes --package=@yarnpkg/cli-dist@4 -- yarn install --immutable',
    ],
    [
      'a Yarn that the repository holds',
      {
        'yarn.lock': '__metadata:',
        '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-3.6.4.cjs',
        '.yarn/releases/yarn-3.6.4.cjs': '',
      },
      'yarn.lock of Yarn 2 or newer found, .yarn/releases/yarn-3.6.4.cjs: yarn install --immutable',
      "node '.yarn/releases/yarn-3.6.4.cjs' install --immutable",
    ],
    [
      'pnpm',
      { 'pnpm-lock.yaml': "lockfileVersion: '6.0'" },
      'pnpm-lock.yaml found: pnpm install --frozen-lockfile',
      'npm exec --yes --package=pnpm@8 -- pnpm install --frozen-lockfile',
    ],
    [
      'Bun',
      { 'bun.lock': '{}' },
      'bun.lock found: bun install --frozen-lockfile',
      'npm exec --yes --package=bun@1 -- bun install --frozen-lockfile',
    ],
    [
      'the package manager that it names',
      { 'package.json': { ...manifest, packageManager: 'pnpm@9.1.0+sha512.abc' }, 'package-lock.json': '{}' },
      'package.json names pnpm 9.1.0: pnpm install',
      'npm exec --yes --package=pnpm@9.1.0 -- pnpm install',
    ],
  ])('is installed by %s', async (_, files, rule, install) => {
    const buildPlan = await buildPlanOf(files);
    expect(buildPlan.rules[0]).toBe(rule);
    expect(buildPlan.command?.startsWith(install)).toBe(true);
  });

  it('is built by its package manager if it has a build script', async () => {
    const scripts = { start: 'node .', build: 'tsc' };
    const buildPlan = await buildPlanOf({ 'package.json': { ...manifest, scripts }, 'yarn.lock': '' });
    expect(buildPlan.rules).toContain('package.json has a build script: yarn run build');
    expect(buildPlan.command).toMatch(/&& npm exec --yes --package=yarn@1\.22\.22 -- yarn run build$/);
  });

  it('includes the package manager that its start script calls', async () => {
    const scripts = { start: 'bun run index.ts' };
    const buildPlan = await buildPlanOf({ 'package.json': { ...manifest, scripts }, 'bun.lockb': '' });
    expect(buildPlan.command).toMatch(/npm install .* --prefix \.postern bun@1$/);
  });

  it.each<readonly [string, object, Readonly<Record<string, string>>, object]>([
    [
      'Create React App',
      { dependencies: { 'react-scripts': '5' }, scripts: { start: 'react-scripts start', build: 'b' } },
      { 'build/index.html': '' },
      { kind: 'static', folder: 'build' },
    ],
    [
      'Vite',
      { devDependencies: { vite: '7' }, scripts: { dev: 'vite', build: 'vite build' } },
      { 'dist/index.html': '', 'index.html': '' },
      { kind: 'static', folder: 'dist' },
    ],
    [
      'a Vite that is started for development',
      { devDependencies: { vite: '7' }, scripts: { start: 'vite preview', build: 'b' } },
      { 'dist/index.html': '' },
      { kind: 'static', folder: 'dist' },
    ],
    [
      'a development server behind another script',
      { dependencies: { gatsby: '5' }, scripts: { start: 'node x.js; npm run serve', serve: 'gatsby serve' } },
      { 'public/index.html': '' },
      { kind: 'static', folder: 'public' },
    ],
    [
      'Vue CLI',
      { dependencies: { '@vue/cli-service': '5' }, scripts: { start: 'vue-cli-service serve', build: 'b' } },
      { 'dist/index.html': '' },
      { kind: 'static', folder: 'dist' },
    ],
    [
      'an export of Next.js',
      { dependencies: { next: '15' }, scripts: { build: 'next build' } },
      { 'out/index.html': '' },
      { kind: 'static', folder: 'out' },
    ],
    [
      'Next.js',
      { dependencies: { next: '15' }, scripts: { start: 'next dev', build: 'next build' } },
      { '.next/BUILD_ID': '' },
      { kind: 'command', command: 'next start' },
    ],
    [
      'SvelteKit for Node.js',
      { devDependencies: { '@sveltejs/kit': '2', vite: '7' }, scripts: { build: 'vite build' } },
      { 'build/index.js': '' },
      { kind: 'command', command: 'node build' },
    ],
    [
      'a site of SvelteKit in a folder of its own',
      { devDependencies: { '@sveltejs/kit': '2', vite: '7' }, scripts: { build: 'vite build' } },
      { 'svelte.config.js': "adapter({\n  pages: 'docs',\n})", 'docs/index.html': '' },
      { kind: 'static', folder: 'docs' },
    ],
    [
      'Nuxt',
      { dependencies: { nuxt: '3' }, scripts: { build: 'nuxt build' } },
      { '.output/server/index.mjs': '' },
      { kind: 'command', command: 'node .output/server/index.mjs' },
    ],
    [
      'Angular',
      { dependencies: { '@angular/core': '20' }, scripts: { start: 'ng serve', build: 'ng build' } },
      { 'dist/shop/browser/index.html': '' },
      { kind: 'static', folder: 'dist/shop/browser' },
    ],
    [
      'Eleventy',
      { devDependencies: { '@11ty/eleventy': '3' }, scripts: { start: 'eleventy --serve', build: 'eleventy' } },
      { '_site/index.html': '' },
      { kind: 'static', folder: '_site' },
    ],
    [
      'VitePress in the root folder',
      { devDependencies: { vitepress: '1' }, scripts: { dev: 'vitepress', build: 'vitepress build' } },
      { '.vitepress/dist/index.html': '' },
      { kind: 'static', folder: '.vitepress/dist' },
    ],
    [
      'VitePress in another folder',
      { devDependencies: { vitepress: '1', vite: '7' }, scripts: { build: 'vitepress build docs' } },
      { 'docs/.vitepress/dist/index.html': '' },
      { kind: 'static', folder: 'docs/.vitepress/dist' },
    ],
    [
      'Hexo',
      { dependencies: { hexo: '7' }, scripts: { start: 'hexo server', build: 'hexo generate' } },
      { 'public/index.html': '' },
      { kind: 'static', folder: 'public' },
    ],
    [
      'a server that Nx has built',
      {
        dependencies: { express: '4' },
        devDependencies: { nx: '17' },
        scripts: { start: 'nx serve', build: 'nx build' },
      },
      { 'dist/api/main.js': '', 'dist/api/assets/main.js': '', 'dist/api/assets/index.html': '' },
      { kind: 'command', command: "node 'dist/api/main.js'" },
    ],
    [
      'a site that Nx has built',
      { dependencies: { '@angular/core': '20', nx: '20' }, scripts: { start: 'nx serve', build: 'nx build' } },
      { 'dist/apps/shop/browser/index.html': '', 'dist/apps/shop/browser/main.js': '' },
      { kind: 'static', folder: 'dist/apps/shop/browser' },
    ],
    [
      'Docusaurus 1',
      { devDependencies: { docusaurus: '1' }, scripts: { start: 'docusaurus-start', build: 'docusaurus-build' } },
      { 'build/shop/index.html': '', 'build/shop/en/index.html': '' },
      { kind: 'static', folder: 'build/shop' },
    ],
    [
      'a program without a script',
      { dependencies: { express: '5' } },
      { 'server.js': '' },
      { kind: 'command', command: 'node server.js' },
    ],
    [
      'a program that package.json names',
      { dependencies: { express: '5' }, main: 'lib/shop.js' },
      { 'lib/shop.js': '', 'index.js': '' },
      { kind: 'command', command: 'node lib/shop.js' },
    ],
    [
      'a program in TypeScript',
      { dependencies: { express: '5' } },
      { 'src/index.ts': '' },
      { kind: 'command', command: 'node src/index.ts' },
    ],
    [
      'a program that bun init has made',
      { module: 'index.ts', devDependencies: { '@types/bun': '1' } },
      { 'index.ts': '', 'bun.lock': '' },
      { kind: 'command', command: 'bun index.ts' },
    ],
  ])('starts %s in production', async (_, packageJson, built, start) => {
    const buildPlan = await buildPlanOf({ 'package.json': packageJson });
    expect(await buildPlan.start?.(projectOf(built))).toEqual(start);
  });

  it.each([
    ['which the repository does not have, is empty', {}, ": >> '.env'"],
    ['which the repository has, stays', { '.env': 'A=1' }, undefined],
  ])('whose start script reads a file of variables %s', async (_, files, command) => {
    const scripts = { start: 'node --env-file=.env server.js' };
    const buildPlan = await buildPlanOf({ 'package.json': { ...manifest, scripts }, ...files });
    const last = buildPlan.command?.split(' && ').at(-1);
    if (command === undefined) expect(last).not.toContain('.env');
    else expect(last).toBe(command);
  });

  it('has Bun in the artefact if Bun runs its main file', async () => {
    const manifest = { module: 'index.ts', devDependencies: { '@types/bun': '1' } };
    const { command } = await buildPlanOf({ 'package.json': manifest, 'bun.lock': '' });
    expect(command).toMatch(/ && npm install --no-save .* bun@1$/);
  });

  it('is started by the general rules if it has a start script', async () => {
    const buildPlan = await buildPlanOf({});
    expect(await buildPlan.start?.(projectOf({ 'server.js': '' }))).toBeUndefined();
  });

  it('enables legacy hashes for old versions of webpack', async () => {
    const old = { dependencies: { 'react-scripts': '^4.0.3' }, scripts: { build: 'react-scripts build' } };
    const buildPlan = await buildPlanOf({ 'package.json': old });
    expect(buildPlan.environment).toMatchObject({ NODE_OPTIONS: '--openssl-legacy-provider' });
  });
});
