import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { controlSocket, LoadBalancerClient } from '@postern/load-balancer-client';
import { balancerLog } from '../infrastructure/balancer-log.js';
import { ReverseProxy } from '../proxy/reverse-proxy.js';
import { settingsFrom } from '../settings.js';
import { SingleProcessWorkers } from '../workers/single-process-workers.js';
import { answersAt, ControlServer } from './control-server.js';
import { LoadBalancer } from './load-balancer.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-long-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('accepts orders if the path of its home exceeds the length limit of Unix socket addresses', async () => {
  const platformHome = join(folder, 'a folder with a long näme'.repeat(5), 'platform');
  const socket = controlSocket(platformHome);
  const log = balancerLog(() => undefined);
  expect(await answersAt(socket)).toBe(false);
  const settings = settingsFrom({ POSTERN_PLATFORM_HOME: platformHome });
  const balancer = await LoadBalancer.start(settings, log, new SingleProcessWorkers(new ReverseProxy(settings, false)));
  const control = new ControlServer(balancer, log);
  await control.listen(socket);
  try {
    expect(await answersAt(socket)).toBe(true);
    expect(await new LoadBalancerClient(platformHome).reserve('service', 'shop')).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+$/,
    );
  } finally {
    await control.stop();
    await balancer.stop();
  }
  expect(await answersAt(socket)).toBe(false);
});
