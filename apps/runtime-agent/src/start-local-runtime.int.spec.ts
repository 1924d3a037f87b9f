import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { silentLog } from '@postern/messaging';
import { GitRepository } from '@postern/runtime/testing';
import { freePort } from '@postern/testing';
import { startLocalRuntime } from './start-local-runtime.js';

const never = new AbortController().signal;

it('runs as many concurrent builds as the setting allows', async () => {
  const home = await mkdtemp(join(tmpdir(), 'postern-home-'));
  // As root, builds run as separate users, which have to enter this folder.
  await chmod(home, 0o755);
  const repository = await GitRepository.make({ 'index.html': 'hello' });
  const runtime = await startLocalRuntime(
    {
      platformHome: home,
      platformAllowFileRepositories: true,
      platformConcurrentBuilds: 2,
      platformBalancerPatienceMs: 1_000,
      gitAllowPrivate: false,
    },
    silentLog,
  );
  const commit = await repository.git('rev-parse', 'HEAD');
  const [one, other] = [await freePort(), await freePort()];
  /** Ends only after the other build has started. Builds cannot see each other's files, but share the network. */
  const build = async (own: number, others: number) => {
    const webServiceId = randomUUID();
    const output = runtime.logWriter(webServiceId, 'build', []);
    const program = `const net = require('net');
      net.createServer().listen(${own}, '127.0.0.1');
      const call = () => net.connect(${others}, '127.0.0.1')
        .on('connect', () => setTimeout(() => process.exit(), 2000)).on('error', () => setTimeout(call, 50));
      call();`;
    const buildCommand = `node -e "${program}"`;
    const order = { deploymentId: randomUUID(), webServiceId, repositoryUrl: repository.url, commit, buildCommand };
    const more = { startCommand: undefined, environment: {}, secrets: [], deadlineMs: 60_000 };
    return runtime.build({ ...order, ...more }, output, never).finally(() => output.close());
  };
  try {
    expect(await Promise.all([build(one, other), build(other, one)])).toMatchObject([{ commit }, { commit }]);
  } finally {
    await runtime.detach();
    await repository.remove();
    await rm(home, { recursive: true, force: true });
  }
}, 60_000);
