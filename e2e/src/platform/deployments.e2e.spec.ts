import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { ownPlatform } from '../stories.js';
import type { Deployment, Service } from './platform-world.js';
import { processesWith, untilRuns } from './processes.js';
import { type Files, webApp } from './repository.js';

/** Longer than any build but an endless one, also on a busy machine. */
const BUILD_WITHIN_S = 25;

const platform = await ownPlatform({
  environment: { 'platform-management': { POSTERN_PLATFORM_BUILD_DEADLINE_MS: String(BUILD_WITHIN_S * 1_000) } },
});

const cancel = (service: Service, id: string) =>
  platform.world.callDashboardApi('POST', `/web-services/${service.id}/deployments/${id}/cancel`, {});

const deploymentsOf = async (service: Service): Promise<readonly Deployment[]> =>
  (await service.caller.get(`${service.path}/deployments?limit=100`)).body['items'] as readonly Deployment[];

const untilDeploymentIs = (service: Service, id: string, status: string): Promise<Deployment> =>
  waitFor(
    async () => {
      const deployment = await service.deployment(id);
      return deployment.status === status ? deployment : undefined;
    },
    { timeoutMs: 40_000, intervalMs: 20, describe: `deployment ${id} to be ${status}` },
  );

/** A service with an endless build; every process of the build has the mark. */
const endlessBuild = async (buildCommand: string, files: Files = webApp('one')) => {
  const mark = `story-${randomUUID()}`;
  const service = await platform.service(files, { build_command: buildCommand.replaceAll('MARK', mark) });
  return { service, mark };
};

describe('fifty deployments requested at once', () => {
  let service: Service;
  const mostActive = { count: 0 };

  beforeAll(async () => {
    service = await platform.service(webApp('one'));
    await Promise.all(Array.from({ length: 50 }, () => service.requestDeployment()));
    await waitFor(
      async () => {
        const deployments = await deploymentsOf(service);
        const active = deployments.filter(({ status }) => ['building', 'releasing'].includes(status)).length;
        mostActive.count = Math.max(mostActive.count, active);
        return deployments.length === 50 && deployments.every(({ status }) => ['live', 'superseded'].includes(status));
      },
      { timeoutMs: 50_000, describe: 'all fifty to be over' },
    );
  }, 90_000);

  it('never include two active ones', () => expect(mostActive.count).toBe(1));

  it('end with the newest live and all others superseded', async () => {
    const [newest, ...others] = (await deploymentsOf(service)).map(({ status }) => status);
    expect([newest, new Set(others)]).toEqual(['live', new Set(['superseded'])]);
    expect(await service.get()).toBe('200 one');
  });

  it('leave one release running', async () => {
    await waitFor(async () => (await service.caller.get(`${service.path}/metrics`)).body['instances'] === 1, {
      timeoutMs: 30_000,
      describe: 'one instance',
    });
  }, 40_000);
});

describe('a deployment that is cancelled while it is built', () => {
  it.each([
    ['ignores SIGTERM', "trap '' TERM INT HUP; while :; do sleep 1; done # MARK"],
    [
      'has left its group for a session of its own',
      'setsid sh -c "trap \'\' TERM; while :; do sleep 1; done" MARK & wait',
    ],
    ['threw its environment away', 'env -i setsid sh -c "while :; do sleep 1; done" MARK & wait'],
    ['has an orphaned grandchild', '(setsid sh -c "while :; do sleep 1; done" MARK &) ; sleep 600'],
  ])(
    'is cancelled once a build that %s has ended',
    async (_, command) => {
      const { service, mark } = await endlessBuild(command);
      const { id } = await service.requestDeployment();
      await untilRuns(mark);

      expect((await cancel(service, id)).status).toBe(200);
      expect(await service.outcomeOf(id)).toMatchObject({ status: 'cancelled' });
      expect(processesWith(mark)).toEqual([]);
    },
    60_000,
  );

  it('does not affect the build of another service', async () => {
    const [cancelled, other] = [await endlessBuild('sleep 600 # MARK'), await endlessBuild('sleep 2 # MARK')];
    const { id } = await cancelled.service.requestDeployment();
    await untilRuns(cancelled.mark);
    const { id: waiting } = await other.service.requestDeployment();

    await cancel(cancelled.service, id);
    expect(await other.service.outcomeOf(waiting)).toMatchObject({ status: 'live' });
    expect(await cancelled.service.deployment(id)).toMatchObject({ status: 'cancelled', error: null });
  }, 60_000);

  it('ends at once if it is still queued, and cannot be cancelled twice', async () => {
    const { service, mark } = await endlessBuild('sleep 600 # MARK');
    const { id: building } = await service.requestDeployment();
    await untilRuns(mark);
    const { id: queued } = await service.requestDeployment();

    expect((await cancel(service, queued)).status).toBe(200);
    expect(await service.deployment(queued)).toMatchObject({ status: 'cancelled' });
    const { status, body } = await cancel(service, queued);
    expect([status, body]).toEqual([409, { error: expect.stringContaining('cancelled') }]);
    await cancel(service, building);
    await service.outcomeOf(building);
  }, 60_000);
});

describe('a newer deployment', () => {
  it('supersedes the queued ones, and the running build finishes', async () => {
    const { service, mark } = await endlessBuild('sleep 3 # MARK');
    const { id: first } = await service.requestDeployment();
    await untilRuns(mark);
    const { id: second } = await service.requestDeployment();
    const { id: third } = await service.requestDeployment();

    expect(await service.deployment(second)).toMatchObject({ status: 'superseded' });
    expect(await service.deployment(first)).toMatchObject({ status: 'building' });
    expect(await service.outcomeOf(third)).toMatchObject({ status: 'live' });
    expect(await service.deployment(first)).toMatchObject({ status: 'superseded' });
  }, 60_000);
});

describe('a deadline', () => {
  it('that passes during the build fails the deployment with the reason, and ends its processes', async () => {
    const { service, mark } = await endlessBuild("trap '' TERM; while :; do sleep 1; done # MARK");
    const { id } = await service.requestDeployment();
    await untilRuns(mark);

    expect(await service.outcomeOf(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(`within ${BUILD_WITHIN_S} s`),
    });
    expect(processesWith(mark)).toEqual([]);
  }, 60_000);
});

describe('configuration', () => {
  let service: Service;
  let first: Deployment;
  const colour = (value: string) =>
    service.caller.post(`${service.path}/env`, { key: 'COLOUR', value, is_secret: false });

  beforeAll(async () => {
    service = await platform.service(webApp('one'));
    await colour('red');
    first = await service.deploy();
    service.repository.commit(webApp('two'));
    await colour('green');
    await service.deploy();
  }, 90_000);

  it('of a rollback is that of the original deployment', async () => {
    await colour('blue');
    const { status, body } = await service.caller.post(`${service.path}/deployments/${first.id}/rollback`);
    expect(status).toBe(202);
    expect(await service.outcomeOf(String(body['id']))).toMatchObject({ status: 'live', rollback_of: first.id });

    expect([await service.get(), await service.get('/env?key=COLOUR')]).toEqual(['200 one', '200 "red"']);
  }, 60_000);

  it('of a restart after it is the present one', async () => {
    await service.caller.post(`${service.path}/restart`);
    await service.untilStatus('running');

    expect([await service.get(), await service.get('/env?key=COLOUR')]).toEqual(['200 one', '200 "blue"']);
  }, 60_000);

  it('of a rollback to the rollback is again the original one', async () => {
    const rollback = (await deploymentsOf(service))[0] as Deployment;
    service.repository.commit(webApp('three'));
    await service.deploy();
    expect(await service.get('/env?key=COLOUR')).toBe('200 "blue"');

    const { body } = await service.caller.post(`${service.path}/deployments/${rollback.id}/rollback`);
    expect(await service.outcomeOf(String(body['id']))).toMatchObject({ status: 'live', rollback_of: rollback.id });
    expect([await service.get(), await service.get('/env?key=COLOUR')]).toEqual(['200 one', '200 "red"']);
  }, 60_000);
});

describe('concurrent operations', () => {
  it('a stop during a build cancels it, and the service is stopped', async () => {
    const { service, mark } = await endlessBuild('test -f quick || sleep 600 # MARK', webApp('one', { quick: '' }));
    await service.deploy();
    service.repository.git('rm', '-q', 'quick');
    service.repository.commit({});
    const { id } = await service.requestDeployment();
    await untilDeploymentIs(service, id, 'building');
    await untilRuns(mark);

    await service.caller.post(`${service.path}/stop`);
    await service.untilStatus('stopped');
    expect(await service.outcomeOf(id)).toMatchObject({
      status: 'cancelled',
      error: 'cancelled, because the web service was stopped',
    });
    expect((await service.get()).slice(0, 3)).toBe('503');
    expect(processesWith(mark)).toEqual([]);
  }, 60_000);

  it('a block during a rollout ends it, and all processes of the service', async () => {
    const mark = `story-${randomUUID()}`;
    const service = await platform.service(webApp('one'), { start_command: `exec node server.js ${mark}` });
    await service.deploy();
    service.repository.commit({ 'server.js': 'setInterval(() => {}, 1000); console.log("mute")' });
    const { id } = await service.requestDeployment();
    await untilDeploymentIs(service, id, 'releasing');
    await service.line(({ message }) => message === 'mute');

    await platform.world.callDashboardApi('POST', `/web-services/${service.id}/block`, { reason: 'spam' });
    expect(await service.outcomeOf(id)).toMatchObject({
      status: 'cancelled',
      error: 'cancelled, because the web service was blocked',
    });
    await service.untilStatus('stopped');
    expect(processesWith(mark)).toEqual([]);
    expect((await service.get()).slice(0, 3)).toBe('503');
  }, 60_000);
});
