import { afterAll, describe, expect, it } from '@jest/globals';
import { changeWebService, deleteWebService, getWebService, setProjectSecret } from '@postern/contracts';
import { codeOf } from '../../testing/accounts-fixture.js';
import { PreviewsFixture } from '../../testing/previews-fixture.js';
import {
  bitbucketCall,
  bitbucketPullRequest,
  dataCenterPullRequest,
  giteaCall,
  giteaPullRequest,
  githubCall,
  githubPullRequest,
  gitlabCall,
  gitlabMergeRequest,
} from '../../testing/pull-request-events.js';
import { refusalOf } from '../../testing/resources-fixture.js';
import { ReleaseConfigurations } from '../environment/ports.js';

const previews = await PreviewsFixture.start();
afterAll(() => previews.stop());

describe('a web service', () => {
  it('has no previews unless they are switched on', async () => {
    const hook = await previews.newService({ previews: false });
    expect(hook.service).toMatchObject({ previews: false, preview_of: null, pull_request: null });
    const answer = { outcome: 'ignored', reason: 'the web service has no previews', deployment_id: null };
    expect(await previews.github(hook, 'opened')).toEqual(answer);
    expect(await previews.github(hook, 'closed')).toEqual(answer);
    expect(await previews.resources.request(changeWebService, { ...hook.caller, previews: true })).toMatchObject({
      previews: true,
    });
    expect(await previews.github(hook, 'opened', { number: 8 })).toMatchObject({ outcome: 'deployed' });
  });
});

describe('a preview', () => {
  it('is created with the settings of its web service, the staging secrets and the branch of the request', async () => {
    const hook = await previews.newService({
      name: 'shop',
      build_command: 'npm run build',
      start_command: 'node server.js',
      health_check_path: '/health',
      root_directory: 'apps/web',
      min_instances: 2,
      max_instances: 3,
    });
    const { project_id } = hook.service;
    for (const scope of ['production', 'staging'] as const)
      await previews.resources.request(setProjectSecret, {
        ...previews.resources.user,
        project_id,
        key: 'DSN',
        value: scope,
        scope,
      });
    const answer = await previews.github(hook, 'opened', { head: 'feature/cart' });
    expect(answer).toEqual({ outcome: 'deployed', reason: null, deployment_id: expect.any(String) });
    const [preview, ...others] = await previews.previewsOf(hook);
    expect(others).toEqual([]);
    expect(preview).toMatchObject({
      name: 'shop-pr-7',
      project_id,
      preview_of: hook.service.id,
      pull_request: 7,
      pull_request_url: 'https://github.com/shop/web/pull/7',
      previews: false,
      git_repository_url: hook.service.git_repository_url,
      branch: 'feature/cart',
      build_command: 'npm run build',
      start_command: 'node server.js',
      health_check_path: '/health',
      root_directory: 'apps/web',
      port: 3000,
      min_instances: 1,
      max_instances: 1,
      processes: {},
      disk: null,
      environment: 'staging',
    });
    expect(await previews.deploymentsOf(preview!.id)).toMatchObject([
      { id: answer.deployment_id, branch: 'feature/cart' },
    ]);
    const configurations = previews.resources.fixture.replicas[0]!.app.get(ReleaseConfigurations, { strict: false });
    const { environment } = await configurations.current(preview!.id, project_id, preview!.environment);
    expect(environment).toEqual({ DSN: 'staging' });
  });

  it('is deployed again for new commits, and deleted when the request is closed', async () => {
    const hook = await previews.newService();
    await previews.github(hook, 'opened');
    await previews.github(hook, 'synchronize');
    await previews.github(hook, 'synchronize');
    const [preview] = await previews.previewsOf(hook);
    expect(await previews.deploymentsOf(preview!.id)).toHaveLength(3);
    expect(await previews.deploymentsOf(hook.service.id)).toEqual([]);
    expect(await previews.github(hook, 'closed')).toEqual({
      outcome: 'recorded',
      reason: 'pull request 7 is closed; its preview is deleted',
      deployment_id: null,
    });
    const gone = previews.resources.request(getWebService, { ...previews.resources.user, web_service_id: preview!.id });
    expect(await codeOf(gone)).toBe('web_service_not_found');
    expect(await previews.previewsOf(hook)).toEqual([]);
  });

  it.each([
    [
      'Gitea',
      (secret: string, action: string) =>
        giteaCall('gitea', giteaPullRequest(action, { updatedAt: previews.now() }), secret),
      ['opened', 'synchronized', 'closed'],
    ],
    [
      'Forgejo',
      (secret: string, action: string) =>
        giteaCall('forgejo', giteaPullRequest(action, { updatedAt: previews.now() }), secret),
      ['opened', 'synchronized', 'closed'],
    ],
    [
      'GitLab',
      (secret: string, action: string) =>
        gitlabCall(
          gitlabMergeRequest(action, { updatedAt: previews.now() }, action === 'update' ? { oldrev: 'b' } : {}),
          secret,
        ),
      ['open', 'update', 'merge'],
    ],
    [
      'Bitbucket Cloud',
      (secret: string, event: string) =>
        bitbucketCall(
          `pullrequest:${event}`,
          bitbucketPullRequest(event, { updatedAt: previews.now() }, event === 'updated' ? 'a'.repeat(12) : undefined),
          secret,
        ),
      ['created', 'updated', 'fulfilled'],
    ],
    [
      'Bitbucket Data Center',
      (secret: string, event: string) =>
        bitbucketCall(`pr:${event}`, dataCenterPullRequest(event, { updatedAt: previews.now() }), secret),
      ['opened', 'from_ref_updated', 'declined'],
    ],
  ])('follows the requests of %s', async (_, callOf, [open, update, close]) => {
    const hook = await previews.newService();
    expect(await previews.receive(hook, callOf(hook.secret, open!))).toMatchObject({ outcome: 'deployed' });
    expect(await previews.receive(hook, callOf(hook.secret, update!))).toMatchObject({ outcome: 'deployed' });
    expect(await previews.previewsOf(hook)).toMatchObject([{ name: 'web-pr-7', branch: 'feature' }]);
    expect(await previews.receive(hook, callOf(hook.secret, close!))).toMatchObject({ outcome: 'recorded' });
    expect(await previews.previewsOf(hook)).toEqual([]);
  });

  it('needs a valid signature', async () => {
    const hook = await previews.newService();
    expect(await codeOf(previews.github({ ...hook, secret: 'guessed' }, 'opened'))).toBe('invalid_signature');
    const invalid = githubPullRequest('opened', { head: '--upload-pack=x' });
    expect(await codeOf(previews.receive(hook, githubCall('pull_request', invalid, hook.secret)))).toBe(
      'invalid_event',
    );
    expect(await previews.previewsOf(hook)).toEqual([]);
  });

  it('is not created for a request from a fork, because its code would get secrets', async () => {
    const hook = await previews.newService();
    expect(await previews.github(hook, 'opened', { headRepository: 2 })).toMatchObject({
      outcome: 'ignored',
      reason: expect.stringMatching(/from another repository; its code gets no preview/),
    });
    expect(await previews.github(hook, 'closed', { headRepository: 2 })).toMatchObject({
      reason: 'pull request 7 is closed; it had no preview',
    });
    expect(await previews.previewsOf(hook)).toEqual([]);
  });

  it('is not created for a request into another branch than the deployed one', async () => {
    const configured = await previews.newService();
    expect(await previews.github(configured, 'opened', { base: 'develop' })).toMatchObject({
      outcome: 'ignored',
      reason: 'pull request 7 is into develop, and main is deployed',
    });
    const byDefault = await previews.newService({ branch: null });
    expect(await previews.github(byDefault, 'opened', { base: 'develop' })).toMatchObject({ outcome: 'ignored' });
    expect(await previews.github(byDefault, 'opened', { number: 8 })).toMatchObject({ outcome: 'deployed' });
  });

  it('is one per request, also for concurrent and repeated events', async () => {
    const hook = await previews.newService();
    const call = githubCall('pull_request', githubPullRequest('opened'), hook.secret);
    const repeated = await Promise.all(Array.from({ length: 4 }, () => previews.receive(hook, call)));
    expect(repeated.map(({ outcome }) => outcome).sort()).toEqual(['deployed', 'ignored', 'ignored', 'ignored']);
    const updates = [1, 2, 3, 4].map(() => previews.github(hook, 'synchronize', { number: 8 }));
    for (const { outcome } of await Promise.all(updates)) expect(outcome).toBe('deployed');
    const names = (await previews.previewsOf(hook)).map(({ name }) => name).sort();
    expect(names).toEqual(['web-pr-7', 'web-pr-8']);
  });

  it('is not created again by events that come after the one that closed the request', async () => {
    const hook = await previews.newService();
    const [opened, updated] = [previews.now(), previews.now()];
    expect(await previews.github(hook, 'closed')).toMatchObject({
      reason: 'pull request 7 is closed; it had no preview',
    });
    for (const [action, updatedAt] of [
      ['opened', opened],
      ['synchronize', updated],
      ['synchronize', previews.now()],
    ] as const)
      expect(await previews.github(hook, action, { updatedAt })).toMatchObject({
        outcome: 'ignored',
        reason: 'the event of pull request 7 is late: it was closed after this event',
      });
    expect(await previews.previewsOf(hook)).toEqual([]);
  });

  it('is created again, with another id, when the request is reopened', async () => {
    const hook = await previews.newService();
    await previews.github(hook, 'opened');
    const [first] = await previews.previewsOf(hook);
    await previews.github(hook, 'closed');
    expect(await previews.github(hook, 'reopened')).toMatchObject({ outcome: 'deployed' });
    const [second] = await previews.previewsOf(hook);
    expect(second).toMatchObject({ name: 'web-pr-7' });
    expect(second!.id).not.toBe(first!.id);
  });

  it('is created again by new commits after a user deleted it', async () => {
    const hook = await previews.newService();
    await previews.github(hook, 'opened');
    const [preview] = await previews.previewsOf(hook);
    await previews.resources.request(deleteWebService, { ...previews.resources.user, web_service_id: preview!.id });
    expect(await previews.github(hook, 'synchronize')).toMatchObject({ outcome: 'deployed' });
    expect(await previews.previewsOf(hook)).toMatchObject([{ name: 'web-pr-7' }]);
  });

  it('stays the preview of its web service when that is renamed, and uses a later branch', async () => {
    const hook = await previews.newService();
    await previews.github(hook, 'opened');
    await previews.resources.request(changeWebService, { ...hook.caller, name: 'store' });
    const { deployment_id } = await previews.github(hook, 'synchronize', { head: 'renamed' });
    const found = await previews.previewsOf(hook);
    expect(found).toMatchObject([{ name: 'web-pr-7' }]);
    expect((await previews.deploymentsOf(found[0]!.id)).find(({ id }) => id === deployment_id)).toMatchObject({
      branch: 'renamed',
    });
    await previews.github(hook, 'opened', { number: 8 });
    expect((await previews.previewsOf(hook)).map(({ name }) => name).sort()).toEqual(['store-pr-8', 'web-pr-7']);
  });

  it('cannot have previews', async () => {
    const hook = await previews.newService();
    await previews.github(hook, 'opened');
    const [preview] = await previews.previewsOf(hook);
    const change = { ...previews.resources.user, web_service_id: preview!.id, previews: true };
    expect(await refusalOf(previews.resources.request(changeWebService, change))).toMatchObject({
      code: 'invalid_input',
      message: 'previews: a preview cannot have previews of its own',
    });
  });

  it('is deleted with its web service', async () => {
    const hook = await previews.newService();
    await previews.github(hook, 'opened');
    await previews.resources.request(deleteWebService, hook.caller);
    expect(await previews.previewsOf(hook)).toEqual([]);
  });
});
