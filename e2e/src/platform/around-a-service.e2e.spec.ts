import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { sharedPlatform } from '../stories.js';
import type { LogLine } from './platform-world.js';
import { webApp } from './repository.js';

const platform = await sharedPlatform();
const { world } = platform;
const WORKER = "console.log('a worker is here, port ' + process.env.PORT); setInterval(() => {}, 1_000);";
const service = await platform.service(
  webApp('one', { Procfile: 'web: node server.js\nworker: node worker.js\n', 'worker.js': WORKER }),
);
const change = async (settings: object): Promise<void> => {
  const { status, body } = await world.callDashboardApi('PATCH', service.path, settings);
  expect([status, body]).toEqual([200, expect.objectContaining(settings)]);
};
const logOf = async (deploymentId: string): Promise<readonly LogLine[]> =>
  (await world.callDashboardApi('GET', `${service.path}/deployments/${deploymentId}/logs`)).body[
    'lines'
  ] as readonly LogLine[];
const messagesOf = (lines: readonly LogLine[], instance: string) =>
  lines.filter(line => line.instance === instance).map(({ message }) => message);

describe('a release command', () => {
  it('runs once before a deployment is live, with its environment and its output in the deployment log', async () => {
    await platform.writer.post(`${service.path}/env`, { key: 'TABLE', value: 'orders', is_secret: false });
    await change({ release_command: 'echo migrating $TABLE' });
    const { id } = await service.deploy();
    const lines = messagesOf(await logOf(id), 'release');
    expect(lines).toEqual(['$ echo migrating $TABLE', 'migrating orders']);
    await platform.writer.post(`${service.path}/restart`);
    await service.untilStatus('running');
    const later = (await service.logs('?tail=1000')).filter(({ message }) => message === 'migrating orders');
    expect(later).toHaveLength(1);
  }, 180_000);

  it('that fails also fails the deployment with its output, and the previous version keeps serving', async () => {
    service.repository.commit(webApp('two'));
    await change({ release_command: 'echo no such table; exit 4' });
    const failed = await service.outcomeOf((await service.requestDeployment()).id);
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('exited with code 4') });
    expect(messagesOf(await logOf(failed.id), 'release')).toContain('no such table');
    expect(await service.get()).toBe('200 one');
    await change({ release_command: null });
  }, 180_000);
});

describe('a one-off command', () => {
  const start = (command: string) => world.callDashboardApi('POST', `${service.path}/runs`, { command });
  const untilOver = (id: string) =>
    waitFor(
      async () => {
        const { body } = await world.callDashboardApi('GET', `${service.path}/runs/${id}`);
        return body['finished_at'] === null ? undefined : body;
      },
      { timeoutMs: 60_000, intervalMs: 200, describe: `the end of run ${id}` },
    );

  it('runs with the live release and its environment, and reports its exit code and output', async () => {
    const { status, body } = await start('echo seeding $TABLE; node -p 1+1; exit 3');
    expect([status, body]).toEqual([201, expect.objectContaining({ exit_code: null, status: 'queued' })]);
    const run = await untilOver(String(body['id']));
    expect(run).toMatchObject({ id: body['id'], status: 'failed', exit_code: 3 });
    expect((run['lines'] as readonly LogLine[]).map(({ message }) => message)).toEqual(['seeding orders', '2']);
    expect((await world.callDashboardApi('GET', `${service.path}/runs`)).body).toMatchObject({ total: 1 });
  }, 120_000);

  it('ends when it is cancelled', async () => {
    const { body } = await start('echo begun; sleep 600');
    const path = `${service.path}/runs/${body['id']}`;
    const lines = async () => (await world.callDashboardApi('GET', path)).body['lines'] as readonly LogLine[];
    await waitFor(async () => (await lines()).length > 0, { timeoutMs: 60_000 });
    expect((await world.callDashboardApi('DELETE', path)).status).toBe(200);
    expect(await untilOver(String(body['id']))).toMatchObject({ status: 'cancelled', exit_code: null });
    expect((await world.callDashboardApi('DELETE', path)).status).toBe(409);
  }, 120_000);

  it('is refused for a web service that was never deployed', async () => {
    const fresh = await platform.service(webApp('one'));
    const { status } = await world.callDashboardApi('POST', `${fresh.path}/runs`, { command: 'true' });
    expect(status).toBe(400);
  });
});

describe('worker processes', () => {
  const processes = async () => (await world.callDashboardApi('GET', `${service.path}/processes`)).body;

  it('of the Procfile run alongside the instances without a port, and appear in the log by name', async () => {
    await change({ processes: { worker: 2 } });
    await platform.writer.post(`${service.path}/restart`);
    await service.untilStatus('running');
    const { message } = await service.line(({ instance }) => /^worker-\w+$/.test(instance));
    expect(message).toBe('a worker is here, port undefined');
    await waitFor(async () => JSON.stringify(await processes()).includes('"running":2'), { timeoutMs: 30_000 });
    expect(await processes()).toEqual([{ type: 'worker', configured: 2, running: 2, failure: null }]);
  }, 120_000);

  it('are scaled at once', async () => {
    await change({ processes: { worker: 1 } });
    await waitFor(async () => JSON.stringify(await processes()).includes('"running":1'), { timeoutMs: 30_000 });
    expect(await service.get()).toBe('200 one');
  }, 60_000);
});
