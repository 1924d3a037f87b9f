import { describe, expect, it } from '@jest/globals';
import { eventually } from '@postern/testing';
import { sharedPlatform } from '../stories.js';
import { webApp } from './repository.js';

const platform = await sharedPlatform();
const service = await platform.service(webApp('one'));

describe('a web service that was never deployed', () => {
  it.each(['start', 'deploy'])('refuses %s, because there is no successful deployment', async action => {
    const { status, body } = await platform.writer.post(`${service.path}/${action}`);
    expect([status, body]).toEqual([400, { detail: 'No successful deployment to start; create one first.' }]);
  });

  it.each(['restart', 'stop'])('refuses %s, because it never ran', async action => {
    const { status, body } = await platform.writer.post(`${service.path}/${action}`);
    expect([status, body]).toEqual([400, { detail: expect.stringMatching(/has never run/) }]);
  });

  it('has no metrics', async () => {
    expect((await platform.reader.get(`${service.path}/metrics`)).status).toBe(404);
  });
});

describe('a deployment', () => {
  it('builds and releases the commit at the head of the default branch, and the service answers on its URL', async () => {
    const commit = service.repository.git('rev-parse', 'HEAD').trim();
    const { id } = await service.requestDeployment();

    expect(await service.outcomeOf(id)).toMatchObject({ id, branch: 'main', commit, status: 'live', error: null });
    expect(await service.get()).toBe('200 one');
    expect(await service.read()).toMatchObject({ status: 'running', blocked: false, suspended: false });
  }, 90_000);

  it('of another branch releases that branch', async () => {
    service.repository.git('checkout', '-q', '-b', 'next');
    service.repository.commit(webApp('two'));

    expect(await service.deploy('next')).toMatchObject({ branch: 'next' });
    expect(await service.get()).toBe('200 two');
  }, 90_000);

  it('is listed newest first, a page at a time', async () => {
    const { body } = await platform.reader.get(`${service.path}/deployments?limit=1&offset=1`);

    expect(body).toMatchObject({ total: 2, limit: 1, offset: 1, items: [{ branch: 'main', status: 'superseded' }] });
  });

  it('that fails has the reason, and the previous one continues to serve', async () => {
    service.repository.commit({ 'server.js': 'throw new Error("broken on purpose")' });
    const { id } = await service.requestDeployment('next');

    expect(await service.outcomeOf(id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/broken on purpose|exited/),
    });
    expect(await service.get()).toBe('200 two');
    expect(await service.read()).toMatchObject({ status: 'running' });
  }, 90_000);

  it('of an unknown branch fails with that reason', async () => {
    const { id } = await service.requestDeployment('nowhere');

    expect(await service.outcomeOf(id)).toMatchObject({ status: 'failed', error: expect.stringMatching(/nowhere/) });
  }, 60_000);

  it('can be rolled back without its repository', async () => {
    const { body } = await platform.reader.get(`${service.path}/deployments?limit=100`);
    const first = (body['items'] as { id: string; branch: string }[]).find(({ branch }) => branch === 'main');
    const { folder } = service.repository;
    service.repository.remove();

    const { status, body: rollback } = await platform.writer.post(`${service.path}/deployments/${first?.id}/rollback`);
    expect(status).toBe(202);
    expect(await service.outcomeOf(String(rollback['id']))).toMatchObject({ status: 'live', rollback_of: first?.id });
    expect(await service.get()).toBe('200 one');
    expect(folder).toBeTruthy();
  }, 90_000);
});

describe('the lifecycle', () => {
  it('POST stop releases the compute and keeps the environment; POST start runs the existing image again', async () => {
    await platform.writer.post(`${service.path}/env`, { key: 'COLOUR', value: 'red', is_secret: false });
    const stop = await platform.writer.post(`${service.path}/stop`);
    expect([stop.status, stop.body]).toEqual([202, { id: service.id, status: 'stopping' }]);
    await service.untilStatus('stopped');
    expect((await service.get()).slice(0, 3)).toBe('503');
    expect((await platform.reader.get(`${service.path}/metrics`)).status).toBe(404);

    const start = await platform.writer.post(`${service.path}/start`);
    expect([start.status, start.body]).toEqual([202, { id: service.id, status: 'starting' }]);
    await service.untilStatus('running');
    expect(await service.get('/env?key=COLOUR')).toBe('200 "red"');
  }, 90_000);

  it('POST restart replaces the instances, with the present environment', async () => {
    await platform.writer.post(`${service.path}/env`, { key: 'COLOUR', value: 'green', is_secret: false });
    expect(await service.get('/env?key=COLOUR')).toBe('200 "red"');

    const { status, body } = await platform.writer.post(`${service.path}/restart`);
    expect([status, body]).toEqual([202, { id: service.id, status: 'restarting' }]);
    await service.untilStatus('running');

    expect(await service.get('/env?key=COLOUR')).toBe('200 "green"');
  }, 90_000);

  it('gets the secrets of its project, and its own variable overrides a secret of the same key', async () => {
    const secrets = `/projects/${service.projectId}/secrets`;
    for (const key of ['COLOUR', 'SHAPE'])
      await platform.writer.post(secrets, {
        key,
        value: `${key} of the project`,
        scope: 'production',
        is_secret: true,
      });
    await platform.writer.post(secrets, { key: 'SHAPE', value: 'of staging', scope: 'staging', is_secret: true });
    await platform.writer.post(`${service.path}/restart`);
    await service.untilStatus('running');

    expect(await service.get('/env?key=SHAPE')).toBe('200 "SHAPE of the project"');
    expect(await service.get('/env?key=COLOUR')).toBe('200 "green"');
  }, 90_000);

  it('restarts a crashed instance', async () => {
    await service.get('/crash').catch(() => undefined);

    await eventually(async () => expect(await service.get()).toBe('200 one'), { timeoutMs: 20_000 });
  }, 60_000);
});

describe('logs', () => {
  it('contain the output of the service, oldest first, with the requested number of lines', async () => {
    for (const words of ['first', 'second', 'third']) await service.get(`/say?words=${words}`);
    await service.line(({ message }) => message === 'third');

    const lines = await service.logs('?tail=2');
    expect(lines.map(({ message }) => message)).toEqual(['second', 'third']);
    expect(lines[0]).toMatchObject({ stream: 'stdout', instance: expect.any(String), timestamp: expect.any(String) });
  }, 30_000);

  it('never show a secret value', async () => {
    await service.get(`/say?words=${encodeURIComponent('it is SHAPE of the project, indeed')}`);

    const { message } = await service.line(line => line.message.includes('indeed'));
    expect(message).not.toContain('SHAPE of the project');
  }, 30_000);

  it('of a build are kept too', async () => {
    const lines = await service.logs('?tail=10000');
    expect(lines.some(({ stream }) => stream === 'build' || stream === 'platform')).toBe(true);
  });

  it.each(['tail=0', 'tail=10001', 'tail=x', 'since=yesterday'])('refuse %s', async query => {
    const { status, body } = await platform.reader.get(`${service.path}/logs?${query}`);
    expect([status, body]).toEqual([400, { detail: expect.stringContaining(query.split('=')[0] as string) }]);
  });
});

describe('metrics', () => {
  it('report CPU, memory and the running instances', async () => {
    // During a rollout, the instances of both releases count.
    await eventually(
      async () => {
        const answer = await platform.reader.get(`${service.path}/metrics`);
        expect([answer.status, answer.body]).toEqual([
          200,
          {
            cpu: { millicores: expect.any(Number), percent: expect.any(Number) },
            memory: { bytes: expect.any(Number), percent: expect.any(Number) },
            instances: 1,
          },
        ]);
        // The first sample may precede the exec of Node.js by the shell.
        expect((answer.body['memory'] as { bytes: number }).bytes).toBeGreaterThan(10 * 1024 * 1024);
      },
      { timeoutMs: 60_000 },
    );
  }, 90_000);

  it('have a history over a period of 60 to 604800 seconds', async () => {
    const { status, body } = await platform.reader.get(`${service.path}/metrics/history?period=600`);
    expect([status, body]).toEqual([
      200,
      {
        period: 600,
        step: expect.any(Number),
        points: expect.arrayContaining([
          expect.objectContaining({
            timestamp: expect.any(String),
            instances: expect.any(Number),
            requests: expect.objectContaining({ per_second: expect.any(Number), errors_per_second: 0 }),
          }),
        ]),
      },
    ]);
    for (const period of [59, 604_801])
      expect((await platform.reader.get(`${service.path}/metrics/history?period=${period}`)).status).toBe(400);
  });
});

describe('a service after the operator’s', () => {
  it.each(['block', 'suspend'] as const)(
    '%s refuses all four actions and new deployments, and no longer responds',
    async action => {
      const { status } = await platform.world.callDashboardApi('POST', `/web-services/${service.id}/${action}`, {
        reason: 'spam',
      });
      expect(status).toBe(200);
      const code = action === 'block' ? 'service_blocked' : 'service_suspended';
      for (const path of ['deploy', 'start', 'restart', 'stop', 'deployments']) {
        const refused = await platform.writer.post(`${service.path}/${path}`);
        expect([refused.status, refused.body]).toEqual([
          403,
          { detail: { code, message: expect.stringContaining('spam') } },
        ]);
      }
      await eventually(async () => expect((await service.get()).slice(0, 3)).toBe('503'), { timeoutMs: 30_000 });

      await platform.world.callDashboardApi(
        'POST',
        `/web-services/${service.id}/${action === 'block' ? 'unblock' : 'resume'}`,
        {},
      );
      expect((await platform.writer.post(`${service.path}/start`)).status).toBe(202);
      await service.untilStatus('running');
      expect(await service.get()).toBe('200 one');
    },
    90_000,
  );
});

describe('the fields of a web service are validated', () => {
  it.each([
    ['git_repository_url', 'ext::sh -c id'],
    ['git_repository_url', '--upload-pack=touch /tmp/x'],
    ['git_repository_url', 'https://user:password@example.com/x.git'],
    ['git_repository_url', 'ftp://example.com/x.git'],
    ['branch', '--orphan'],
    ['branch', 'a..b'],
    ['port', 0],
    ['port', 65_536],
    ['min_instances', 0],
    ['max_instances', 21],
    ['name', ''],
  ])('%s: %p', async (field, value) => {
    const { status, body } = await platform.writer.post('/web-services', {
      name: 'x',
      project_id: service.projectId,
      git_repository_url: 'https://example.com/x.git',
      port: 3000,
      [field]: value,
    });
    expect([status, body]).toEqual([400, { detail: expect.stringMatching(new RegExp(`^${field}\\b`)) }]);
  });
});
