import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { program, servicePlanOf } from '@postern/runtime/testing';
import { SourceBuilds } from '../testing/source-builds.js';
import { KubernetesHarness } from './testing/kubernetes-harness.js';

describe('A repository without a Dockerfile', () => {
  let harness: KubernetesHarness;
  let builds: SourceBuilds<KubernetesHarness>;
  beforeAll(async () => {
    harness = await KubernetesHarness.start();
    builds = new SourceBuilds(harness);
  }, 120_000);
  afterEach(() => builds.removeRepositories());
  afterAll(() => harness?.stop(), 120_000);

  it('is built and started by the rules of its ecosystem, which the log states', async () => {
    const order = await builds.orderOf({
      'package.json': JSON.stringify({ scripts: { build: 'cp app.mjs made.mjs', start: 'node made.mjs' } }),
      'app.mjs': program.answering('built'),
    });
    const artefact = await builds.build(order);
    expect(await builds.logOf(order)).toEqual(
      expect.arrayContaining([
        'no lock file found: npm install',
        'package.json has a build script: npm run build',
        '$ npm install && npm run build --if-present',
        'Starts by: node made.mjs',
      ]),
    );
    expect(await builds.answerOf(servicePlanOf(artefact))).toBe('built');
  });

  it('is built and started in its only project folder if the root folder has no project', async () => {
    const order = await builds.orderOf({
      'README.md': '',
      'website/Procfile': 'web: node app.mjs\n',
      'website/package.json': '{}',
      'website/app.mjs': program.answering('from its folder'),
    });
    const artefact = await builds.build(order);
    expect(await builds.logOf(order)).toContain(
      'website holds the only project of the repository: it is built and started in website',
    );
    expect(await builds.answerOf(servicePlanOf(artefact))).toBe('from its folder');
  });

  it('is built and started in its root directory, with the repository if that is a workspace', async () => {
    const order = await builds.orderOf(
      {
        'package.json': JSON.stringify({ private: true, workspaces: ['apps/*'] }),
        'apps/web/package.json': JSON.stringify({ name: 'web', scripts: { start: 'node app.mjs' } }),
        'apps/web/app.mjs': program.answering('from the workspace'),
        'apps/web/Procfile': 'web: node app.mjs\n',
        'apps/other/package.json': JSON.stringify({ name: 'other' }),
      },
      { rootDirectory: 'apps/web' },
    );
    const artefact = await builds.build(order);
    expect(await builds.answerOf(servicePlanOf(artefact))).toBe('from the workspace');
    expect(await builds.answerOf(servicePlanOf(artefact, { startCommand: 'node ./app.mjs' }))).toBe(
      'from the workspace',
    );
  });

  it('finds its own programs in bin, also by its start command', async () => {
    const order = await builds.orderOf({
      Procfile: 'web: serve\n',
      'package.json': JSON.stringify({ scripts: { build: 'chmod +x bin/serve' } }),
      'bin/serve': `#!/bin/sh\nexec node app.mjs\n`,
      'app.mjs': program.answering('by its own program'),
    });
    const artefact = await builds.build(order);
    expect(await builds.answerOf(servicePlanOf(artefact))).toBe('by its own program');
    expect(await builds.answerOf(servicePlanOf(artefact, { startCommand: 'serve' }))).toBe('by its own program');
  });

  it('fails with the tools to install if the image lacks them', async () => {
    const tool = { 'hugo.toml': 'title = "x"\n', 'content/index.md': '# x\n' };
    await expect(builds.build(await builds.orderOf(tool))).rejects.toThrow(
      /^hugo\.toml found: .*, but the base image has no hugo: install .* on it, or add a Dockerfile to the repository$/,
    );
  });

  it('fails with advice if the output of the build shows a known cause', async () => {
    const heap = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';
    const order = await builds.orderOf({
      'package.json': JSON.stringify({ scripts: { build: `echo '${heap}' >&2; exit 134` } }),
    });
    await expect(builds.build(order)).rejects.toThrow(
      'Node.js ran out of memory: set NODE_OPTIONS to --max-old-space-size=<MiB> for the build, at most three quarters of the memory of a build (npm install && npm run build --if-present exited with code 134)',
    );
  });
});
