import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ScratchCheckout } from './testing/scratch-checkout.js';

const RELEASE = 'tools/releases/release.mjs';
const SOURCE = 'libs/contracts/src/delivery-tracking/events.ts';
const BUILT = 'libs/contracts/dist/delivery-tracking/events.js';

jest.setTimeout(240_000);
let checkout: ScratchCheckout;
let clean: string;

beforeAll(async () => {
  checkout = await ScratchCheckout.make();
  checkout.write('.nx/version-plans/tracking.md', '---\ndelivery-tracking: minor\n---\n\nRecipients have a colour.\n');
  clean = checkout.commit('A plan');
});
afterAll(() => checkout?.remove());

beforeEach(() => {
  checkout.git('reset', '--quiet', '--hard', clean);
});

/** What is built in the checkout names the field like this, whatever the sources say. */
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

describe('The check of the contracts speaks of the sources, and not of an older build:', () => {
  it('a breaking change that was not built is told', async () => {
    leaveBuildWith('smtp_response');
    checkout.replace(SOURCE, 'smtp_response', 'smtp_answer');
    const { code, output } = await checkout.node('tools/releases/contracts.mjs', 'check');
    expect(output).toContain('field data.smtp_response');
    expect(code).toBe(1);
  });

  it('what a build of other sources left behind is not', async () => {
    leaveBuildWith('smtp_answer');
    const { code, output } = await checkout.node('tools/releases/contracts.mjs', 'check');
    expect(output).toContain(' 0 findings to mend');
    expect(code).toBe(0);
  });
});

describe('A release is made from its commit, and not from what is built in the checkout:', () => {
  it('a breaking change is refused, and nothing is left of the attempt', async () => {
    leaveBuildWith('smtp_response');
    checkout.replace(SOURCE, 'smtp_response', 'smtp_answer');
    const commit = checkout.commit('A field has a better name');
    const { code, output } = await checkout.node(RELEASE, 'delivery-tracking');
    expect(output).toContain('field data.smtp_response');
    expect(code).toBe(1);
    nothingIsReleased(commit);
  });

  it('a type error is refused', async () => {
    checkout.write('apps/delivery-tracking/src/domain/wrong.ts', "export const wrong: number = 'text';\n");
    const commit = checkout.commit('Not built');
    const { code, output } = await checkout.node(RELEASE, 'delivery-tracking');
    expect(output).toContain('wrong.ts');
    expect(code).toBe(1);
    nothingIsReleased(commit);
  });

  it('clean sources pass beside an older build, with their image, and are told in the snapshot', async () => {
    leaveBuildWith('smtp_answer');
    const docker = join(checkout.path, '../bin/docker');
    checkout.write('../bin/docker', '#!/bin/sh\necho "docker $*"\ntest -f docker/Dockerfile\n');
    chmodSync(docker, 0o755);
    const env = { PATH: `${join(docker, '..')}:${process.env['PATH']}` };
    const repository = 'registry.example.com/postern/delivery-tracking';

    const release = checkout.start([RELEASE, 'delivery-tracking', '--image', repository], env);
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
    const built = `--build-arg APP=delivery-tracking -t ${repository}:0.2.0 `;
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

  it('a checkout that gets another commit meanwhile stays as it is', async () => {
    const release = checkout.start([RELEASE, 'delivery-tracking']);
    await release.said('▸ building');
    checkout.write('CHANGES.md', 'Written meanwhile.\n');
    const commit = checkout.commit('Something else');
    const { code, output } = await release.ended;
    expect(output).toMatch(/fast-forward/);
    expect(code).toBe(1);
    nothingIsReleased(commit);
  });

  it('a release that is ended half-way leaves nothing; one that is killed, nothing after the next', async () => {
    const ended = checkout.start([RELEASE, 'delivery-tracking']);
    await ended.said('▸ building');
    process.kill(ended.pid, 'SIGTERM');
    expect((await ended.ended).code).toBe(1);
    nothingIsReleased(clean);

    const killed = checkout.start([RELEASE, 'delivery-tracking']);
    await killed.said('▸ building');
    const [left = ''] = checkout.worktrees();
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;
    expect(existsSync(left.replace('worktree ', ''))).toBe(true);
    const next = checkout.start([RELEASE, 'delivery-tracking']);
    await next.said('▸ building');
    expect(existsSync(left.replace('worktree ', ''))).toBe(false);
    process.kill(next.pid, 'SIGINT');
    await next.ended;
    nothingIsReleased(clean);
  });
});
