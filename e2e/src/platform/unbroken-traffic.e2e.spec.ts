import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { sharedPlatform } from '../stories.js';
import { ContinuousTraffic, type TrafficFigures } from './continuous-traffic.js';
import type { Service } from './platform-world.js';
import { webApp } from './repository.js';
import { underSteadyRequests } from './steady-requests.js';
import { streamingApp } from './streaming-app.js';

const platform = await sharedPlatform();

/** `POSTERN_STORY_REQUESTS=20000` sends the number of requests in docs/figures.md. */
const REQUESTS = Number(process.env['POSTERN_STORY_REQUESTS'] ?? 2_000);
const PER_SECOND = Math.min(150, Math.max(30, REQUESTS / 70));
/** Each round takes 75 seconds, mostly for draining. */
const ROUNDS = Math.ceil(REQUESTS / (PER_SECOND * 75));
const DRAIN_SECONDS = 11;
const LONG_REQUEST_MS = 10_000;
/** A shell stays the parent of the server, which does not handle SIGTERM. */
const START = 'true; node server.js';

const change = async (service: Service, settings: object): Promise<void> => {
  const { status, body } = await platform.world.callDashboardApi('PATCH', service.path, settings);
  expect([status, body]).toEqual([200, expect.objectContaining(settings)]);
};

describe('requests, long requests, streams and WebSockets during every operation', () => {
  let service: Service;
  let traffic: ContinuousTraffic;
  let figures: TrafficFigures;
  const served: string[] = [];
  const answers = async () => served.push(await service.get());

  const restart = async () => {
    traffic.begin();
    expect((await service.caller.post(`${service.path}/restart`)).status).toBe(202);
    await service.untilStatus('running');
  };

  const scaleTo = async (number: number) => {
    await change(service, { min_instances: number, max_instances: number });
    if (number === 1) return;
    const instances = new Set<string>();
    await waitFor(async () => instances.add(await service.get('/instance')).size === number, {
      timeoutMs: 30_000,
      describe: `${number} instances`,
    });
  };

  const deploy = () => {
    traffic.begin();
    return service.deploy();
  };

  const everyOperation = async () => {
    const { id: first } = await deploy();
    await answers();
    service.repository.commit(streamingApp('two'));
    await deploy();
    await answers();
    await change(service, { start_command: `${START} changed` });
    await restart();
    await answers();
    await scaleTo(3);
    traffic.connectMore();
    traffic.begin();
    await traffic.untilDrained(() => scaleTo(1));
    service.repository.commit({ 'server.js': 'process.exit(9)' });
    expect(await service.failure()).toContain('exited with code 9');
    await answers();
    traffic.begin();
    const { body } = await service.caller.post(`${service.path}/deployments/${first}/rollback`);
    expect(await service.outcomeOf(String(body['id']))).toMatchObject({ status: 'live' });
    await answers();
    await restart();
    await answers();
    await change(service, { start_command: START });
    service.repository.commit(streamingApp('one'));
  };

  beforeAll(async () => {
    service = await platform.service(streamingApp('one'), { start_command: START });
    await change(service, { drain_seconds: DRAIN_SECONDS });
    await service.deploy();
    const rate = { perSecond: PER_SECOND, atLeast: REQUESTS };
    traffic = new ContinuousTraffic(await service.url(), {
      ...rate,
      drainMs: DRAIN_SECONDS * 1_000,
      longRequestMs: LONG_REQUEST_MS,
    });
    figures = await traffic.during(async () => {
      for (let round = 1; round <= ROUNDS; round += 1) await everyOperation();
    });
    console.info(JSON.stringify({ ...figures, failures: figures.failures.length }));
  }, 600_000);

  it('never fail: streams and sockets end only by the drain, with every event and the close code 1001', () => {
    expect(figures.failures).toEqual([]);
  });

  it('are answered by the release of each operation', () => {
    // A rollback restores the settings of its release; a restart uses the present ones.
    const release = ['one', 'two', 'two changed', 'two changed', 'one', 'one changed'];
    const once = release.map(body => `200 ${body}`);
    expect(served).toEqual(Array.from({ length: ROUNDS }, () => once).flat());
  });

  it('reach the minimum number of each kind', () => {
    expect(figures.requests).toBeGreaterThanOrEqual(REQUESTS);
    expect(figures.longRequests).toBeGreaterThan(20);
    expect(figures.events).toBeGreaterThan(1_000);
    expect(figures.messages).toBeGreaterThan(500);
    // Three at first, then cut by a deployment, two restarts, scaling and a rollback.
    expect(figures.streams).toBeGreaterThan(15);
    expect(figures.sockets).toBeGreaterThan(15);
  });
});

describe('a steady stream of requests', () => {
  it('loses at most what one of two instances was answering when it crashed', async () => {
    const service = await platform.service(webApp('one'), { min_instances: 2, max_instances: 2 });
    await service.deploy();
    const url = await service.url();
    const { failures, bodies } = await underSteadyRequests(url, async () => {
      expect((await fetch(`${url}/crash`, { method: 'POST' })).status).toBe(502);
      await service.line(({ message }) => /exited with code 3/.test(message));
    });
    // A request that an instance has received is not sent to another one: it may have had an effect.
    const begun = failures.filter(failure => failure.includes('failed before the response began'));
    expect({ others: failures.filter(failure => !begun.includes(failure)), bodies }).toEqual({
      others: [],
      bodies: ['one'],
    });
    expect(begun.length).toBeLessThanOrEqual(2);
  }, 60_000);
});
