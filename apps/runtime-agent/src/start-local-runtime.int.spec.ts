import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { silentLog } from '@postern/messaging';
import { GitRepository } from '@postern/runtime/testing';
import { startLocalRuntime } from './start-local-runtime.js';

const never = new AbortController().signal;

it('runs as many builds at a time as the setting allows', async () => {
  const [home, meeting] = await Promise.all(
    ['home', 'meeting'].map(name => mkdtemp(join(tmpdir(), `postern-${name}-`))),
  );
  // Builds run as users of their own where we are root.
  await chmod(home!, 0o755);
  await chmod(meeting!, 0o777);
  const repository = await GitRepository.make({ 'index.html': 'hello' });
  const runtime = await startLocalRuntime(
    {
      platformHome: home!,
      platformAllowFileRepositories: true,
      platformConcurrentBuilds: 2,
      platformBalancerPatienceMs: 1_000,
      gitAllowPrivate: false,
    },
    silentLog,
  );
  const commit = await repository.git('rev-parse', 'HEAD');
  /** Ends only when the other one has begun. */
  const build = async (own: string, other: string) => {
    const webServiceId = randomUUID();
    const output = runtime.logWriter(webServiceId, 'build', []);
    const buildCommand = `touch ${meeting}/${own}; until [ -e ${meeting}/${other} ]; do sleep 0.05; done`;
    const order = { deploymentId: randomUUID(), webServiceId, repositoryUrl: repository.url, commit, buildCommand };
    const more = { startCommand: undefined, environment: {}, secrets: [], deadlineMs: 15_000 };
    return runtime.build({ ...order, ...more }, output, never).finally(() => output.close());
  };
  try {
    expect(await Promise.all([build('one', 'other'), build('other', 'one')])).toMatchObject([{ commit }, { commit }]);
  } finally {
    await runtime.detach();
    await repository.remove();
    for (const folder of [home, meeting]) await rm(folder!, { recursive: true, force: true });
  }
}, 60_000);
