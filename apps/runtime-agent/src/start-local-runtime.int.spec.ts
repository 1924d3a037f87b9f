import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { silentLog } from '@postern/messaging';
import { GitRepository } from '@postern/runtime/testing';
import { defineSettings } from '@postern/service-host/config';
import { networkSettings } from './local-runtime/sandbox/network/network-settings.js';
import { startLocalRuntime } from './start-local-runtime.js';

const never = new AbortController().signal;
const SETTINGS = {
  platformAllowFileRepositories: true,
  platformBuildMemoryMib: undefined,
  platformConcurrentBuilds: 2,
  platformBalancerPatienceMs: 1_000,
  platformObservationMs: 0,
  gitAllowPrivate: false,
  ...defineSettings(networkSettings).read({}),
};

it('runs as many concurrent builds as the setting allows', async () => {
  const home = await mkdtemp(join(tmpdir(), 'postern-home-'));
  // As root, builds run as separate users, which have to enter this folder.
  await chmod(home, 0o755);
  const repository = await GitRepository.make({ 'index.html': 'hello' });
  const waiting: ServerResponse[] = [];
  const gateway = createServer((_, response) => {
    if (waiting.push(response) === 2) for (const each of waiting) each.end();
  }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  const { port } = gateway.address() as AddressInfo;
  const runtime = await startLocalRuntime(
    {
      ...SETTINGS,
      platformHome: home,
      ...defineSettings(networkSettings).read({ POSTERN_PLATFORM_GATEWAY_ADDRESSES: `127.0.0.1:${port}` }),
    },
    silentLog,
  );
  const commit = await repository.git('rev-parse', 'HEAD');
  /** Ends only after the other build has started: the gateway answers when both have waiting. */
  const build = async () => {
    const webServiceId = randomUUID();
    const output = runtime.logWriter(webServiceId, 'build', []);
    const buildCommand = 'node -e "fetch(process.env.POSTERN_URL).then(r => r.text())"';
    const order = { deploymentId: randomUUID(), webServiceId, repositoryUrl: repository.url, commit, buildCommand };
    const more = { startCommand: undefined, environment: {}, secrets: [], deadlineMs: 60_000 };
    return runtime.build({ ...order, ...more }, output, never).finally(() => output.close());
  };
  try {
    expect(await Promise.all([build(), build()])).toMatchObject([{ commit }, { commit }]);
  } finally {
    await runtime.detach();
    gateway.close();
    await repository.remove();
    await rm(home, { recursive: true, force: true });
  }
}, 60_000);

it('deletes the expired log lines of a web service that writes no more, with the unused artefacts', async () => {
  const home = await mkdtemp(join(tmpdir(), 'postern-home-'));
  await chmod(home, 0o755);
  const runtime = await startLocalRuntime({ ...SETTINGS, platformHome: home }, silentLog);
  const webServiceId = randomUUID();
  const messages = async () =>
    (await runtime.logs(webServiceId, { tail: 10, since: undefined })).map(({ message }) => message);
  try {
    const writer = runtime.logWriter(webServiceId, 'one', []);
    writer.write('stdout', 'old\n');
    await writer.close();
    await runtime.retainArtefacts(new Set());
    expect(await messages()).toEqual(['old']);
    const folder = join(home, 'logs', webServiceId);
    const longAgo = new Date(Date.now() - 15 * 24 * 3_600_000);
    for (const segment of await readdir(folder)) await utimes(join(folder, segment), longAgo, longAgo);

    await runtime.retainArtefacts(new Set());

    expect(await messages()).toEqual([]);
  } finally {
    await runtime.detach();
    await rm(home, { recursive: true, force: true });
  }
}, 60_000);
