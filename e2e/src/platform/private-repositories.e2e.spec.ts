import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { newKeyPair, startGitHttpServer, startGitSshServer } from '@postern/testing/git-servers';
import { sharedPlatform } from '../stories.js';
import type { Service } from './platform-world.js';
import { webApp } from './repository.js';

const TOKEN = 'glpat-story_0123456789';

const platform = await sharedPlatform();
const stops: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

const desk = (method: string, service: Service, path: string, body?: unknown) =>
  platform.world.callDashboardApi(method, `/web-services/${service.id}${path}`, body);

const overHttp = async () => {
  const service = await platform.service(webApp('private'));
  const server = await startGitHttpServer(service.repository.folder, {
    access: { username: 'oauth2', password: TOKEN },
  });
  stops.push(() => server.stop());
  await desk('PATCH', service, '', { git_repository_url: `${server.url}/.git` });
  return service;
};

describe('a private repository over HTTP', () => {
  it('is deployed with a token that appears in no response and no log', async () => {
    const service = await overHttp();
    const { id } = await service.requestDeployment();
    expect(await service.outcomeOf(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('if it is private, store an access token'),
    });

    const stored = await desk('PUT', service, '/git-token', { username: 'oauth2', token: TOKEN });
    expect(stored).toMatchObject({ status: 200, body: { username: 'oauth2', host: '127.0.0.1' } });
    await service.deploy();
    expect(await service.get()).toBe('200 private');
    const shown = [
      await service.read(),
      await service.logs('?tail=1000'),
      (await desk('GET', service, '/repository-credentials')).body,
      (await platform.world.callDashboardApi('GET', '/audit-log')).body,
    ];
    expect(JSON.stringify(shown)).not.toContain(TOKEN);
    expect(JSON.stringify(shown)).toContain('git_token.set');
  });

  it('is deployed by a push', async () => {
    const service = await overHttp();
    await desk('PUT', service, '/git-token', { username: 'oauth2', token: TOKEN });
    const { body } = await desk('POST', service, '/deploy-hook', {});
    const push = JSON.stringify({
      ref: 'refs/heads/main',
      after: 'a'.repeat(40),
      repository: { default_branch: 'main' },
    });
    const answer = await fetch(String(body['url']), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-hub-signature-256': `sha256=${createHmac('sha256', String(body['secret'])).update(push).digest('hex')}`,
      },
      body: push,
    });
    const { deployment_id } = (await answer.json()) as { deployment_id: string };
    expect(await service.outcomeOf(deployment_id)).toMatchObject({ status: 'live' });
    expect(await service.get()).toBe('200 private');
  });
});

describe('a private repository over SSH', () => {
  it('is deployed with the deploy key of the web service, from a server whose host key is pinned', async () => {
    const service = await platform.service(webApp('by key'));
    const { status, body } = await desk('POST', service, '/deploy-key', {});
    expect([status, Object.keys(body)]).toEqual([201, ['public_key']]);
    const hostKey = newKeyPair();
    const authorized = String(body['public_key']);
    const server = await startGitSshServer({ root: service.repository.folder, authorized, hostKey });
    stops.push(() => server.stop());
    const changed = await desk('PATCH', service, '', { git_repository_url: `ssh://git@127.0.0.1:${server.port}/.git` });
    expect(changed.status).toBe(200);
    await service.deploy();
    expect(await service.get()).toBe('200 by key');
    expect(server.connections()).toBe(2);
    expect((await desk('GET', service, '/repository-credentials')).body).toMatchObject({
      deploy_key: { public_key: authorized, host_keys: [{ host: `127.0.0.1:${server.port}` }] },
      git_token: null,
    });

    expect((await desk('DELETE', service, '/deploy-key')).body).toMatchObject({ deleted: true });
    const { id } = await service.requestDeployment();
    expect((await service.outcomeOf(id)).error).toContain('needs a deploy key');
    await waitFor(async () => (await service.get()) === '200 by key');
  });
});
