import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { sharedPlatform } from '../stories.js';
import { Service } from './platform-world.js';
import { headOf, sendPullRequestEvent } from './pull-request.js';
import { webApp } from './repository.js';

const platform = await sharedPlatform();

/** A web service with previews, whose repository has a branch `feature`, and its Git host. */
const previewed = async () => {
  const service = await platform.service(webApp('main'), { name: 'shop', branch: 'main', previews: true });
  const { repository, projectId } = service;
  for (const scope of ['production', 'staging'])
    await service.caller.post(`/projects/${projectId}/secrets`, { key: 'DSN', value: `secret of ${scope}`, scope });
  repository.git('switch', '-q', '-c', 'feature');
  const first = repository.commit(webApp('the first commit'));
  const { body } = await service.caller.post(`${service.path}/deploy-hook`);
  let seconds = 0;
  const event = (action: string, more: { readonly head?: number; readonly at?: number } = {}) =>
    sendPullRequestEvent(body, {
      action,
      commit: headOf(repository),
      ...(more.head === undefined ? {} : { head: more.head }),
      updatedAt: new Date(Date.UTC(2030, 0, 1) + (more.at ?? ++seconds) * 1_000),
    });
  const previews = async () => {
    const all = (await service.caller.get('/web-services')).body as unknown as Record<string, unknown>[];
    return all.filter(({ preview_of }) => preview_of === service.id);
  };
  return { service, repository, first, event, previews };
};

describe('a pull request', () => {
  it('gets a web service with its newest commit and the staging secrets, until it is closed', async () => {
    const { service, repository, first, event, previews } = await previewed();
    const opened = await event('opened');
    expect(opened).toMatchObject({ status: 202, outcome: 'deployed' });
    const [found] = await previews();
    expect(found).toMatchObject({ name: 'shop-pr-7', pull_request: 7, project_id: service.projectId });
    const preview = new Service(service.caller, String(found!['id']), service.projectId, repository);
    expect(await preview.outcomeOf(String(opened['deployment_id']))).toMatchObject({ status: 'live', commit: first });
    expect(await preview.get()).toBe('200 the first commit');
    expect(await preview.get('/env?key=DSN')).toBe('200 "secret of staging"');
    expect(await preview.url()).not.toBe(await service.url());

    const second = repository.commit(webApp('the second commit'));
    const { deployment_id } = await event('synchronize');
    expect(await preview.outcomeOf(String(deployment_id))).toMatchObject({ status: 'live', commit: second });
    expect(await preview.get()).toBe('200 the second commit');

    const url = await preview.url();
    expect(await event('closed')).toMatchObject({ status: 202, outcome: 'recorded' });
    expect(await event('synchronize', { at: 1 })).toMatchObject({ outcome: 'ignored' });
    expect(await previews()).toEqual([]);
    expect((await service.caller.get(preview.path)).status).toBe(404);
    const isGone = async () => (await fetch(url).catch(() => undefined))?.status !== 200;
    await waitFor(isGone, { timeoutMs: 60_000, intervalMs: 200, describe: 'the preview to stop' });
    expect((await service.read())['status']).toBe('created');
  });

  it('of a fork gets no web service', async () => {
    const { event, previews } = await previewed();
    expect(await event('opened', { head: 2 })).toMatchObject({
      outcome: 'ignored',
      reason: expect.stringContaining('from another repository'),
    });
    expect(await previews()).toEqual([]);
  });
});
