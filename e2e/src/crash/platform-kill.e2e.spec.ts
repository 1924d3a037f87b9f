import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { type Deployment, PlatformWorld } from '../platform/platform-world.js';
import { type SteadyAnswers, underSteadyRequests } from '../platform/steady-requests.js';
import { Gate, withGates } from './gate.js';
import { killUntilRestarted } from './kill-and-restart.js';
import { MarkedService } from './marked-service.js';

const STORY_WITHIN_MS = 150_000;
const STAGE_WITHIN_MS = 40_000;

let platform: PlatformWorld;
const gates: Gate[] = [];

beforeAll(async () => {
  platform = await PlatformWorld.start(
    await withGates({
      'platform-management': {
        POSTERN_PLATFORM_BUILD_DEADLINE_MS: String(STAGE_WITHIN_MS),
        POSTERN_PLATFORM_RELEASE_DEADLINE_MS: String(STAGE_WITHIN_MS),
        POSTERN_PLATFORM_RECONCILE_MS: '1000',
        POSTERN_PLATFORM_CONCURRENT_BUILDS: '1',
      },
      'runtime-agent': { POSTERN_PLATFORM_CONCURRENT_BUILDS: '1' },
    }),
  );
}, 120_000);

afterAll(async () => {
  await platform.stop();
  for (const gate of gates) gate.remove();
});

const gate = (): Gate => {
  const made = Gate.create();
  gates.push(made);
  return made;
};

const pidOf = (name: string): number | undefined => platform.world.postern.processes()[name];

const kill = (name: string) => killUntilRestarted(platform, name);

const untilTheApiAnswers = () =>
  waitFor(async () => (await platform.reader.get('/projects')).status === 200, {
    timeoutMs: 40_000,
    intervalMs: 100,
    describe: 'the platform API to answer',
  });

/** The expected final state of a service, whatever was killed: one release at its address, and nothing else. */
const expectOnly = async (marked: MarkedService, version: string): Promise<void> => {
  await marked.service.untilStatus('running');
  expect(await marked.service.url()).toBe(marked.url);
  await marked.until(() => marked.instances.length === 1, 'exactly one instance');
  expect(await marked.service.get()).toBe(`200 ${version}`);
  expect(marked.builds).toEqual([]);
};

const nothingLost = ({ failures, count }: SteadyAnswers): void => {
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(20);
};

describe.each(['platform-management', 'runtime-agent'])(
  'when %s is killed, twice in a row, during all operations',
  victim => {
    let building: MarkedService;
    let queued: MarkedService;
    let releasing: MarkedService;
    let live: MarkedService;
    let restarting: MarkedService;
    let stopping: MarkedService;
    const deployments = new Map<MarkedService, Deployment>();
    /** The instances that served before any operation was requested. */
    const older = new Map<MarkedService, readonly number[]>();
    const streams: SteadyAnswers[] = [];

    beforeAll(async () => {
      const [way, end] = [gate(), gate()];
      building = await MarkedService.running(platform);
      queued = await MarkedService.running(platform);
      releasing = await MarkedService.running(platform);
      live = await MarkedService.running(platform);
      stopping = await MarkedService.running(platform, { end });
      const again = gate();
      again.open();
      restarting = await MarkedService.running(platform, { start: again });
      again.close();

      for (const service of [live, releasing, restarting]) older.set(service, service.instances);
      deployments.set(releasing, await releasing.deployTwo({ start: way }));
      await releasing.untilTwoInstances();
      await restarting.service.caller.post(`${restarting.service.path}/restart`);
      await restarting.untilTwoInstances();
      deployments.set(building, await building.deployTwo({ build: way }));
      await building.until(() => building.builds.length > 0, 'a build');
      deployments.set(queued, await queued.deployTwo());
      await stopping.service.caller.post(`${stopping.service.path}/stop`);
      await stopping.service.line(({ message }) => message === 'version one received SIGTERM');
      expect(await statusesNow()).toEqual(['building', 'queued', 'releasing', 'running', 'restarting', 'stopping']);

      const duringOperations = async () => {
        await kill(victim);
        await kill(victim);
        await untilTheApiAnswers();
        for (const service of [live, releasing, restarting]) {
          expect(service.instances).toEqual(expect.arrayContaining([...(older.get(service) ?? [])]));
        }
        way.open();
        end.open();
        again.open();
        for (const service of [building, queued, releasing])
          deployments.set(service, await service.service.outcomeOf(deployments.get(service)?.id as string));
      };
      let going: () => Promise<unknown> = duringOperations;
      for (const { url } of [live, releasing, restarting]) {
        const inner = going;
        going = async () => streams.push(await underSteadyRequests(url, inner));
      }
      await going();
    }, STORY_WITHIN_MS);

    const statusesNow = async () => [
      ...(await Promise.all(
        [building, queued, releasing].map(
          async each => (await each.service.deployment(deployments.get(each)?.id as string)).status,
        ),
      )),
      ...(await Promise.all([live, restarting, stopping].map(async each => (await each.service.read())['status']))),
    ];

    it('no request to running services fails', () => {
      for (const answers of streams) nothingLost(answers);
      expect(streams).toHaveLength(3);
    });

    it.each([
      ['building', () => building],
      ['queued', () => queued],
      ['releasing', () => releasing],
    ])(
      'the deployment that was %s goes live, and nothing else of its service runs',
      async (_, service) => {
        expect(deployments.get(service())).toMatchObject({ status: 'live', error: null });
        await expectOnly(service(), 'two');
      },
      60_000,
    );

    it('the running service keeps its process', async () => {
      expect(live.instances).toEqual(older.get(live));
      await expectOnly(live, 'one');
    }, 60_000);

    it('the restart completes, and the older instance is removed', async () => {
      await expectOnly(restarting, 'one');
      expect(restarting.instances).not.toEqual(older.get(restarting));
    }, 60_000);

    it('the stop completes, and no process of the service is left', async () => {
      await stopping.service.untilStatus('stopped');
      expect(stopping.all).toEqual([]);
      expect((await stopping.service.get()).slice(0, 3)).toBe('503');
      expect(await stopping.service.url()).toBe(stopping.url);
    }, 60_000);
  },
);

describe('when the load balancer is killed under traffic', () => {
  it('no request fails, it restores its ports and routes, and the instances are not affected', async () => {
    const service = await MarkedService.running(platform);
    const before = service.instances;
    nothingLost(await underSteadyRequests(service.url, () => kill('load-balancer')));
    expect(service.instances).toEqual(before);

    const { id } = await service.deployTwo();
    expect(await service.service.outcomeOf(id)).toMatchObject({ status: 'live' });
    await expectOnly(service, 'two');
  }, 60_000);

  it('during a rollout, the release still goes live', async () => {
    const way = gate();
    const service = await MarkedService.running(platform);
    const { id } = await service.deployTwo({ start: way });
    await service.untilTwoInstances();
    process.kill(pidOf('load-balancer') as number, 'SIGKILL');
    way.open();

    expect(await service.service.outcomeOf(id)).toMatchObject({ status: 'live', error: null });
    await expectOnly(service, 'two');
  }, 60_000);
});

describe.each([
  ['NATS', () => platform.world.postern.nats.kill()],
  ['PostgreSQL', () => platform.world.postern.postgres.kill()],
])('when %s is killed during deployments', (_, kill) => {
  it('they go live, and no request to running services fails', async () => {
    const way = gate();
    const [building, releasing] = [await MarkedService.running(platform), await MarkedService.running(platform)];
    const { id: released } = await releasing.deployTwo({ start: way });
    await releasing.untilTwoInstances();
    const { id: built } = await building.deployTwo({ build: way });
    await building.until(() => building.builds.length > 0, 'a build');

    const answers = await underSteadyRequests(releasing.url, async () => {
      await kill();
      way.open();
      for (const [{ service }, id] of [
        [building, built],
        [releasing, released],
      ] as const)
        expect(await service.outcomeOf(id)).toMatchObject({ status: 'live', error: null });
    });
    nothingLost(answers);
    await expectOnly(building, 'two');
    await expectOnly(releasing, 'two');
  }, 90_000);
});
