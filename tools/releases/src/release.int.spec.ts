import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { services } from '../../setup/services.mjs';
import { ScratchCheckout } from './testing/scratch-checkout.js';

const RELEASE = 'tools/releases/release.mjs';
const SOURCE = 'libs/contracts/src/delivery-tracking/events.ts';
const BUILT = 'libs/contracts/dist/delivery-tracking/events.js';

jest.setTimeout(240_000);
let checkout: ScratchCheckout;
let clean: string;

beforeAll(async () => {
  checkout = await ScratchCheckout.make();
  // The released services match the checkout: none waits for the release of another.
  checkout.git('rm', '-r', '--quiet', '--ignore-unmatch', 'libs/contracts/released');
  expect(await checkout.node('tools/releases/contracts.mjs', 'record')).toMatchObject({ code: 0 });
  checkout.write('.nx/version-plans/tracking.md', '---\ndelivery-tracking: minor\n---\n\nRecipients have a colour.\n');
  clean = checkout.commit('A plan');
});
afterAll(() => checkout?.remove());

beforeEach(() => {
  checkout.git('reset', '--quiet', '--hard', clean);
});

/** Creates build output in the checkout that differs from its sources. */
const leaveBuildWith = (field: string) => {
  checkout.write(BUILT, checkout.read(BUILT).replaceAll(/smtp_(response|answer)/g, field));
  expect(checkout.read(BUILT)).toContain(field);
};
const tags = () => checkout.git('tag', '--list');
const nothingIsReleased = (commit: string) => {
  expect(checkout.git('rev-parse', 'HEAD')).toBe(commit);
  expect(checkout.git('status', '--porcelain')).toBe('');
  expect(tags()).toBe('');
  expect(checkout.worktrees()).toEqual([]);
};

describe('The contract check uses the sources and not an older build:', () => {
  it('reports a breaking change that was not built', async () => {
    leaveBuildWith('smtp_response');
    checkout.replace(SOURCE, 'smtp_response', 'smtp_answer');
    const { code, output } = await checkout.node('tools/releases/contracts.mjs', 'check');
    expect(output).toContain('field data.smtp_response');
    expect(code).toBe(1);
  });

  it('ignores the build output of other sources', async () => {
    leaveBuildWith('smtp_answer');
    const { code, output } = await checkout.node('tools/releases/contracts.mjs', 'check');
    expect(output).toContain(' 0 findings to fix');
    expect(code).toBe(0);
  });
});

describe('A release is built from its commit and not from existing build output:', () => {
  it('a breaking change is rejected and leaves nothing behind', async () => {
    leaveBuildWith('smtp_response');
    checkout.replace(SOURCE, 'smtp_response', 'smtp_answer');
    const commit = checkout.commit('A field has a better name');
    const { code, output } = await checkout.node(RELEASE, 'delivery-tracking', '--tested');
    expect(output).toContain('field data.smtp_response');
    expect(code).toBe(1);
    nothingIsReleased(commit);
  });

  it('a type error is rejected', async () => {
    checkout.write('apps/delivery-tracking/src/domain/wrong.ts', "export const wrong: number = 'text';\n");
    const commit = checkout.commit('Not built');
    const { code, output } = await checkout.node(RELEASE, 'delivery-tracking', '--tested');
    expect(output).toContain('wrong.ts');
    expect(code).toBe(1);
    nothingIsReleased(commit);
  });

  it('clean sources are released with their image and recorded in the snapshot', async () => {
    leaveBuildWith('smtp_answer');
    const docker = join(checkout.path, '../bin/docker');
    checkout.write('../bin/docker', '#!/bin/sh\necho "docker $*"\ntest -f docker/Dockerfile\n');
    chmodSync(docker, 0o755);
    const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
    const bases = { POSTERN_NODE_IMAGE: `node@${digest}`, POSTERN_BASE_IMAGE: `debian@${digest}` };
    const env = { PATH: `${join(docker, '..')}:${process.env['PATH']}`, ...bases };
    const repository = 'registry.example.com/postern/delivery-tracking';

    const byTag = { ...env, POSTERN_BASE_IMAGE: 'debian:12.12-slim' };
    const refused = await checkout.start([RELEASE, 'delivery-tracking', '--tested', '--image', repository], byTag)
      .ended;
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('an image with its digest') });
    nothingIsReleased(checkout.git('rev-parse', 'HEAD'));

    const release = checkout.start([RELEASE, 'delivery-tracking', '--tested', '--image', repository], env);
    const { code, output } = await release.ended;
    expect(output).toContain('released delivery-tracking@0.2.0');
    expect(code).toBe(0);
    expect(tags()).toBe('delivery-tracking@0.2.0');
    expect(checkout.git('rev-parse', 'delivery-tracking@0.2.0^{commit}')).toBe(checkout.git('rev-parse', 'HEAD'));
    expect(checkout.git('rev-parse', 'HEAD~1')).toBe(clean);
    expect(checkout.git('diff', '--name-only', 'HEAD~1').split('\n')).toEqual([
      '.nx/version-plans/tracking.md',
      'apps/delivery-tracking/CHANGELOG.md',
      'apps/delivery-tracking/package.json',
      'libs/contracts/released/delivery-tracking@0.2.0.json',
      'package-lock.json',
    ]);
    expect(checkout.worktrees()).toEqual([]);
    const snapshot = JSON.parse(checkout.read('libs/contracts/released/delivery-tracking@0.2.0.json')) as object;
    expect(snapshot).toMatchObject({ version: '0.2.0', sources: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    expect(JSON.stringify(snapshot)).toContain('smtp_response');
    const args = `--build-arg APP=delivery-tracking --build-arg NODE_IMAGE=node@${digest} --build-arg BASE_IMAGE=debian@${digest}`;
    const built = `${args} -t ${repository}:0.2.0 `;
    expect(output).toContain(`${args} --target sbom --output`);
    expect(output).toContain(built);

    const again = checkout.start(['tools/releases/image.mjs', 'delivery-tracking@0.2.0', repository], env);
    const image = await again.ended;
    expect(image).toMatchObject({ code: 0, output: expect.stringContaining(built) });

    checkout.replace(SOURCE, 'smtp_response', 'smtp_answer');
    checkout.commit('A tag that was moved');
    checkout.git('tag', '--force', 'delivery-tracking@0.2.0');
    const moved = await checkout.start(['tools/releases/image.mjs', 'delivery-tracking@0.2.0', repository], env).ended;
    expect(moved).toMatchObject({ code: 1, output: expect.stringContaining('was checked from the sources sha256:') });
    expect(checkout.worktrees()).toEqual([]);
    checkout.git('tag', '--delete', 'delivery-tracking@0.2.0');
  });

  it('a release whose tests fail is rejected', async () => {
    checkout.write('.nx/version-plans/sdk.md', '---\nsdk: minor\n---\n\nLogs are followed.\n');
    checkout.write(
      'libs/sdk/src/wrong.spec.ts',
      "import { expect, it } from '@jest/globals';\n\nit('is right', () => expect(1).toBe(2));\n",
    );
    const commit = checkout.commit('A test that fails');
    const { code, output } = await checkout.node(RELEASE, 'sdk');
    expect(output).toContain('sdk:test');
    expect(output).toMatch(/nx run-many .* failed with 1/);
    expect(code).toBe(1);
    nothingIsReleased(commit);
  });

  it('a column that the newest release reads is not dropped, unless its plan names a release that does not', async () => {
    checkout.write(
      'prisma/delivery-tracking/migrations/0099_less/migration.sql',
      'ALTER TABLE bounce_notices DROP COLUMN rule;\n',
    );
    const commit = checkout.commit('Less');
    const { code, output } = await checkout.node(RELEASE, 'delivery-tracking', '--tested');
    expect(output).toContain('prisma/delivery-tracking/migrations/0099_less: column rule is dropped');
    expect(code).toBe(1);
    nothingIsReleased(commit);
  });

  it('a changed library is reported for each service without a plan', async () => {
    for (const unit of ['api-gateway', 'email-send', 'delivery-tracking']) checkout.git('tag', `${unit}@0.1.0`);
    checkout.replace('libs/mail/src/index.ts', 'export', ' export');
    checkout.commit('A library');
    const { code, output } = await checkout.node('tools/releases/contracts.mjs', 'plans');
    const added = await checkout.node('tools/releases/contracts.mjs', 'plans', '--add', 'Mail is read faster.');
    const planned = await checkout.node('tools/releases/contracts.mjs', 'plans');
    for (const unit of ['api-gateway', 'email-send', 'delivery-tracking'])
      checkout.git('tag', '--delete', `${unit}@0.1.0`);
    expect(output.match(/^✗ [a-z-]+: libs\/mail\/src\/index.ts changed/gm)).toEqual([
      '✗ api-gateway: libs/mail/src/index.ts changed',
      '✗ email-send: libs/mail/src/index.ts changed',
    ]);
    expect(code).toBe(1);
    expect(added).toMatchObject({ code: 0, output: expect.stringMatching(/version-plans\/email-send-\d+\.md/) });
    expect(planned).toMatchObject({ code: 0, output: 'Every change has a version plan.\n' });
    checkout.git('clean', '--quiet', '--force', '.nx/version-plans');
  });

  it('a package is not released before those that it depends on', async () => {
    checkout.write('.nx/version-plans/sdk.md', '---\nsdk: minor\n---\n\nLogs are followed.\n');
    checkout.write('.nx/version-plans/command.md', '---\ncommand: minor\n---\n\nLogs are followed.\n');
    const commit = checkout.commit('Two plans');
    const refused = await checkout.node(RELEASE, 'command');
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('Release sdk first') });
    nothingIsReleased(commit);
  });

  it('a checkout that gets another commit in the meantime does not change', async () => {
    const release = checkout.start([RELEASE, 'delivery-tracking', '--tested']);
    await release.printed('▸ building');
    checkout.write('CHANGES.md', 'Written in the meantime.\n');
    const commit = checkout.commit('Something else');
    const { code, output } = await release.ended;
    expect(output).toMatch(/fast-forward/);
    expect(code).toBe(1);
    nothingIsReleased(commit);
  });

  it('an interrupted release leaves nothing behind; the next release cleans up after a killed one', async () => {
    const ended = checkout.start([RELEASE, 'delivery-tracking', '--tested']);
    await ended.printed('▸ building');
    process.kill(ended.pid, 'SIGTERM');
    expect((await ended.ended).code).toBe(1);
    nothingIsReleased(clean);

    const killed = checkout.start([RELEASE, 'delivery-tracking', '--tested']);
    await killed.printed('▸ building');
    const [left = ''] = checkout.worktrees();
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;
    expect(existsSync(left.replace('worktree ', ''))).toBe(true);
    const next = checkout.start([RELEASE, 'delivery-tracking', '--tested']);
    await next.printed('▸ building');
    expect(existsSync(left.replace('worktree ', ''))).toBe(false);
    process.kill(next.pid, 'SIGINT');
    await next.ended;
    nothingIsReleased(clean);
  });
});

it('A release is pushed with its tag, or undone if the branch has other commits', async () => {
  const remote = join(checkout.path, '../remote.git');
  checkout.git('init', '--quiet', '--bare', remote);
  checkout.git('remote', 'set-url', 'origin', remote);
  const branch = checkout.git('branch', '--show-current');
  const inRemote = (...args: string[]) => checkout.git('--git-dir', remote, ...args);
  const other = checkout.git('commit-tree', '-p', clean, '-m', 'Of another team', `${clean}^{tree}`);
  checkout.git('push', '--quiet', 'origin', `${other}:refs/heads/${branch}`);
  const refused = await checkout.node(RELEASE, 'delivery-tracking', '--tested', '--push');
  expect(refused.output).toContain('was not pushed, and is undone: pull, and release again');
  expect(refused.code).toBe(1);
  nothingIsReleased(clean);
  expect(inRemote('rev-parse', branch)).toBe(other);

  checkout.git('push', '--quiet', '--force', 'origin', `${clean}:refs/heads/${branch}`);
  const pushed = await checkout.node(RELEASE, 'delivery-tracking', '--tested', '--push');
  expect(pushed.output).toContain('released and pushed delivery-tracking@0.2.0');
  expect(inRemote('rev-parse', branch)).toBe(checkout.git('rev-parse', 'HEAD'));
  expect(inRemote('tag', '--points-at', branch)).toBe('delivery-tracking@0.2.0');
  checkout.git('tag', '--delete', 'delivery-tracking@0.2.0');
});

it('Releases that fit each other are a set, with values for the postern chart; a release without a contract is refused', async () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const publish = (service: string, version: string) => {
    const image = { repository: `registry.example.com/postern/${service}`, digest, architectures: ['amd64', 'arm64'] };
    const chart = { repository: `registry.example.com/postern/charts/${service}`, version, digest };
    const hasChart = existsSync(join(checkout.path, `k8s/values/${service}.yaml`));
    const release = { service, version, image, ...(hasChart ? { chart } : {}) };
    checkout.write(`published/${service}@0.1.0.json`, JSON.stringify(release));
  };
  for (const { name } of services()) publish(name, '0.1.0');
  const made = await checkout.node('tools/releases/set.mjs', '0.2.0');
  expect(made.output).toContain('postern 0.2.0: api-gateway@0.1.0');
  expect(made.code).toBe(0);
  const values = checkout.read('published/postern-0.2.0.values.yaml');
  expect(values).toContain(
    `email-send: { image: { repository: postern/email-send, tag: "0.1.0", digest: "${digest}" } }`,
  );
  expect(values).not.toContain('load-balancer');
  publish('email-send', '9.9.9');
  expect(await checkout.node('tools/releases/set.mjs', '0.2.0')).toMatchObject({
    code: 1,
    output: expect.stringContaining('There is no contract of email-send@9.9.9'),
  });
});
