import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deleteGitToken, getWebService, receiveDeployHook, setGitToken } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { GitHostServer } from '../../testing/git-host-server.js';
import { type PreviewedService, PreviewsFixture } from '../../testing/previews-fixture.js';
import {
  bitbucketCall,
  dataCenterPullRequest,
  giteaCall,
  githubCall,
  gitlabCall,
} from '../../testing/pull-request-events.js';
import { ReportCommitStatuses } from './report-commit-statuses.js';

const TOKEN = 'a-token-of-the-git-host';
const COMMIT = 'c0ffee'.padEnd(40, '0');

let previews: PreviewsFixture;
let host: GitHostServer;
beforeAll(async () => {
  previews = await PreviewsFixture.start();
}, 120_000);
afterAll(() => previews?.stop());
beforeEach(async () => {
  host = await GitHostServer.start();
});
afterEach(() => host.stop());

const query = (text: string, values: readonly unknown[]) => previews.resources.fixture.query(text, values);
const report = () =>
  previews.resources.fixture.replicas[0]!.app.get(ReportCommitStatuses, { strict: false }).run({
    signal: new AbortController().signal,
  });

/** A web service of a repository at the host, which has sent an event of this kind. */
const hosted = async (call: (payload: object, secret: string) => object, token: string | undefined = TOKEN) => {
  const hook = await previews.newService({ git_repository_url: `${host.url}/shop/web.git` });
  const event = call({ ref: 'refs/heads/other', repository: {}, push: { changes: [] } }, hook.secret);
  await previews.resources.request(receiveDeployHook, {
    token: hook.token,
    ...(event as ReturnType<typeof gitlabCall>),
  });
  if (token) await previews.resources.request(setGitToken, { ...hook.caller, username: 'any', token });
  return hook;
};
const asGithub = (payload: object, secret: string) => githubCall('ping', payload, secret);

const deployment = async (webServiceId: string, number: number, status = 'building') => {
  const id = uuidv7();
  await query(
    `INSERT INTO deployments (id, web_service_id, number, ordinal, status, commit, created_at)
     VALUES ($1, $2, $3, $3, $4, $5, now() + interval '1 second')`,
    [id, webServiceId, number, status, COMMIT],
  );
  return id;
};
const becomes = (id: string, status: string) => query('UPDATE deployments SET status = $2 WHERE id = $1', [id, status]);
const errorOf = async ({ caller }: PreviewedService) =>
  (await previews.resources.request(getWebService, caller)).commit_status_error;

describe('a deployment', () => {
  it.each([
    [
      'GitHub',
      asGithub,
      `/api/v3/repos/shop/web/statuses/${COMMIT}`,
      'authorization',
      `Bearer ${TOKEN}`,
      'pending',
      'success',
    ],
    [
      'Gitea',
      (payload: object, secret: string) => giteaCall('gitea', payload, secret),
      `/api/v1/repos/shop/web/statuses/${COMMIT}`,
      'authorization',
      `token ${TOKEN}`,
      'pending',
      'success',
    ],
    [
      'Forgejo',
      (payload: object, secret: string) => giteaCall('forgejo', payload, secret),
      `/api/v1/repos/shop/web/statuses/${COMMIT}`,
      'authorization',
      `token ${TOKEN}`,
      'pending',
      'success',
    ],
    [
      'GitLab',
      gitlabCall,
      `/api/v4/projects/shop%2Fweb/statuses/${COMMIT}`,
      'private-token',
      TOKEN,
      'running',
      'success',
    ],
    [
      'Bitbucket Cloud',
      (payload: object, secret: string) => bitbucketCall('repo:push', payload, secret),
      `/2.0/repositories/shop/web/commit/${COMMIT}/statuses/build`,
      'authorization',
      `Basic ${btoa(`any:${TOKEN}`)}`,
      'INPROGRESS',
      'SUCCESSFUL',
    ],
    [
      'Bitbucket Data Center',
      (payload: object, secret: string) => bitbucketCall('repo:refs_changed', payload, secret),
      `/rest/api/1.0/projects/shop/repos/web/commits/${COMMIT}/builds`,
      'authorization',
      `Basic ${btoa(`any:${TOKEN}`)}`,
      'INPROGRESS',
      'SUCCESSFUL',
    ],
  ] as const)('is reported to %s once for each state', async (_, call, path, header, value, pending, success) => {
    const { service } = await hosted(call);
    const id = await deployment(service.id, 1);
    await report();
    await becomes(id, 'releasing');
    await report();
    await becomes(id, 'live');
    await report();
    await report();
    expect(host.calls).toEqual([`POST ${path}`, `POST ${path}`]);
    expect(host.received.map(({ body }) => body)).toMatchObject([{ state: pending }, { state: success }]);
    for (const { body } of host.received) expect(body['context'] ?? body['name']).toBe('postern/web');
    expect(host.received[0]!.headers[header]).toBe(value);
  });

  it('is reported as failed or cancelled', async () => {
    const { service } = await hosted(asGithub);
    const failed = await deployment(service.id, 1, 'failed');
    await report();
    const cancelled = await deployment(service.id, 2);
    await report();
    await becomes(cancelled, 'cancelled');
    await report();
    expect(host.received.map(({ body }) => body['state'])).toEqual(['failure', 'pending', 'error']);
    expect(failed).not.toBe(cancelled);
  });

  it('is not reported without a token, nor after the token was deleted', async () => {
    const without = await hosted(asGithub, '');
    await deployment(without.service.id, 1);
    const deleted = await hosted(asGithub);
    await previews.resources.request(deleteGitToken, deleted.caller);
    await deployment(deleted.service.id, 1);
    await report();
    expect(host.calls).toEqual([]);
  });

  it('is not reported if its repository was replaced by an image, and does not delay others', async () => {
    const replaced = await hosted(asGithub);
    await deployment(replaced.service.id, 1);
    await query("UPDATE web_services SET git_repository_url = NULL, image = 'nginx:1' WHERE id = $1", [
      replaced.service.id,
    ]);
    const other = await hosted(asGithub);
    await deployment(other.service.id, 1);
    await report();
    expect(host.calls).toHaveLength(1);
    expect(await errorOf(replaced)).toBeNull();
  });

  it('whose report is refused shows why, without the token, and is reported again later', async () => {
    const hook = await hosted(asGithub);
    const id = await deployment(hook.service.id, 1);
    host.answers.push({ status: 403, body: JSON.stringify({ message: `Resource not accessible by\n${TOKEN}` }) });
    await report();
    expect(await errorOf(hook)).toBe(
      '127.0.0.1 answered the commit status with 403: Resource not accessible by ********',
    );
    await report();
    expect(host.calls).toHaveLength(1);
    await query("UPDATE commit_statuses SET next_attempt_at = now() - interval '1 second' WHERE deployment_id = $1", [
      id,
    ]);
    await report();
    expect(host.calls).toHaveLength(2);
    expect(await errorOf(hook)).toBeNull();
  });

  it.each([
    ['Cloud', 'repo:push', { type: 'error', error: { message: 'Your credentials lack scopes.' } }],
    ['Data Center', 'repo:refs_changed', { errors: [{ context: null, message: 'Your credentials lack scopes.' }] }],
  ])('whose report Bitbucket %s refuses shows its message', async (_, key, answer) => {
    const hook = await hosted((payload, secret) => bitbucketCall(key, payload, secret));
    await deployment(hook.service.id, 1);
    host.answers.push({ status: 403, body: JSON.stringify(answer) });
    await report();
    expect(await errorOf(hook)).toBe('127.0.0.1 answered the commit status with 403: Your credentials lack scopes.');
  });

  it('of a host that redirects is not reported, and shows why', async () => {
    const hook = await hosted(asGithub);
    await deployment(hook.service.id, 1);
    host.answers.push({ status: 302, body: '' });
    await report();
    expect(await errorOf(hook)).toBe('127.0.0.1 answered the commit status with 302');
  });

  it('is reported if the host accepts it with a long answer, of which only the head is read', async () => {
    const hook = await hosted(asGithub);
    const id = await deployment(hook.service.id, 1);
    host.answers.push({ status: 200, body: 'x'.repeat(100_000) });
    await report();
    expect(await errorOf(hook)).toBeNull();
    const stored = await query('SELECT state FROM commit_statuses WHERE deployment_id = $1', [id]);
    expect(stored).toEqual([{ state: 'pending' }]);
  });
});

describe('a preview', () => {
  it('has one comment at its request, which is edited, and written again after it was deleted', async () => {
    const hook = await hosted(asGithub);
    await previews.github(hook, 'opened');
    const [preview] = await previews.previewsOf(hook);
    const number = 10;
    const id = await deployment(preview!.id, number);
    await report();
    await becomes(id, 'live');
    await report();
    const comments = () => host.received.filter(({ call }) => call.includes('/issues/'));
    expect(comments().map(({ call }) => call)).toEqual([
      'POST /api/v3/repos/shop/web/issues/7/comments',
      'PATCH /api/v3/repos/shop/web/issues/comments/42',
    ]);
    expect(comments()[1]!.body['body']).toMatch(/^\*\*Preview\*\* `web-pr-7`[\s\S]*The deployment is live\./);
    await deployment(preview!.id, number + 1);
    host.answers.push({ status: 201, body: '{}' }, { status: 404, body: '{"message":"Not Found"}' });
    await report();
    expect(
      comments()
        .map(({ call }) => call)
        .slice(2),
    ).toEqual(['PATCH /api/v3/repos/shop/web/issues/comments/42', 'POST /api/v3/repos/shop/web/issues/7/comments']);
  });

  it('has one comment at Bitbucket Data Center, which wants the version of the edited one', async () => {
    const event = (key: string, payload: object, secret: string) => bitbucketCall(key, payload, secret);
    const hook = await hosted((payload, secret) => event('repo:refs_changed', payload, secret));
    await previews.receive(hook, event('pr:opened', dataCenterPullRequest('opened'), hook.secret));
    const [preview] = await previews.previewsOf(hook);
    const comments = () =>
      host.received.filter(({ call }) => call.includes('/comments')).map(({ call, body }) => [call, body['version']]);
    const path = '/rest/api/1.0/projects/shop/repos/web/pull-requests/7/comments';
    const id = await deployment(preview!.id, 10);
    host.answers.push({ status: 204, body: '' }, { status: 201, body: '{"id":42,"version":0}' });
    await report();
    await becomes(id, 'live');
    host.answers.push({ status: 204, body: '' }, { status: 200, body: '{"id":42,"version":1}' });
    await report();
    await deployment(preview!.id, 11);
    // Somebody else has edited the comment.
    host.answers.push({ status: 204, body: '' }, { status: 409, body: '{"errors":[{"message":"out of date"}]}' });
    await report();
    expect(comments()).toEqual([
      [`POST ${path}`, undefined],
      [`PUT ${path}/42`, 0],
      [`PUT ${path}/42`, 1],
      [`POST ${path}`, undefined],
    ]);
    expect(await errorOf(hook)).toBeNull();
  });
});
