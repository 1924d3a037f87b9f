import { createHash, createHmac } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  changeWebService,
  createDeployHook,
  createWebService,
  deleteDeployHook,
  deleteWebService,
  findDeployHook,
  getDeployHook,
  listDeployments,
  moderateWebService,
  type RequestInput,
  receiveDeployHook,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { codeOf } from '../../testing/accounts-fixture.js';
import type { WebServiceOf } from '../../testing/caller.js';
import { ResourcesFixture } from '../../testing/resources-fixture.js';

const resources = await ResourcesFixture.start();
afterAll(() => resources.stop());

const newHook = async (branch: string | null = 'main') => {
  const { id: web_service_id } = await resources.request(createWebService, {
    ...resources.user,
    name: 'web',
    project_id: await resources.newProject(),
    git_repository_url: 'https://git.example.com/web.git',
    port: 3000,
    branch,
  });
  const caller = { ...resources.user, web_service_id };
  const { url, secret } = await resources.request(createDeployHook, caller);
  return { caller, secret, token: url.split('/').at(-1)! };
};

type Call = Omit<RequestInput<typeof receiveDeployHook>, 'token'>;
const bare: Call = { headers: {}, content_type: '', body: '' };
const pushTo = (branch: string, secret: string, after = 'a'.repeat(40), more = {}): Call => {
  const body = Buffer.from(
    JSON.stringify({ ref: `refs/heads/${branch}`, after, repository: { default_branch: 'trunk' }, ...more }),
  );
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return {
    headers: { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${signature}` },
    content_type: 'application/json',
    body: body.toString('base64'),
  };
};
const receive = (token: string, call: Call) => resources.request(receiveDeployHook, { token, ...call });
const deploymentsOf = async (caller: WebServiceOf) => (await resources.request(listDeployments, caller)).total;

describe('a deploy hook', () => {
  it('is found only by the hash of its token', async () => {
    const { caller, token, secret } = await newHook();
    const found = (of: string) =>
      resources.request(findDeployHook, { token_hash: createHash('sha256').update(of).digest('hex') });
    expect(await found(token)).toEqual({
      id: expect.any(String),
      web_service_id: caller.web_service_id,
      workspace_id: caller.workspace_id,
    });
    expect(await codeOf(found(secret))).toBe('deploy_hook_not_found');
    await resources.request(deleteDeployHook, caller);
    expect(await codeOf(found(token))).toBe('deploy_hook_not_found');
  });

  it('deploys for a call with the token of its URL and no headers of a Git host', async () => {
    const { caller, token } = await newHook();
    expect(await receive(token, bare)).toMatchObject({ outcome: 'deployed', deployment_id: expect.any(String) });
    expect(await deploymentsOf(caller)).toBe(1);
    expect(await codeOf(receive(`${token.slice(0, -1)}_`, bare))).toBe('deploy_hook_not_found');
  });

  it('deploys for a signed push to the configured branch, once', async () => {
    const { caller, token, secret } = await newHook();
    const push = pushTo('main', secret);
    expect(await receive(token, push)).toMatchObject({ outcome: 'deployed' });
    expect(await receive(token, push)).toEqual({
      outcome: 'ignored',
      reason: 'this event was received before',
      deployment_id: null,
    });
    expect(await receive(token, pushTo('other', secret))).toMatchObject({
      outcome: 'ignored',
      reason: 'the push is to other, and main is deployed',
    });
    expect(await deploymentsOf(caller)).toBe(1);
  });

  it('uses the default branch of the repository if no branch is configured', async () => {
    const { token, secret } = await newHook(null);
    expect(await receive(token, pushTo('main', secret))).toMatchObject({ outcome: 'ignored' });
    expect(await receive(token, pushTo('trunk', secret))).toMatchObject({ outcome: 'deployed' });
  });

  it('deploys only for a push that changes a watched file, if the web service has watch paths', async () => {
    const { caller, token, secret } = await newHook();
    const changed = await resources.request(changeWebService, { ...caller, watch_paths: ['apps/web', '!**/*.md'] });
    expect(changed.watch_paths).toEqual(['apps/web', '!**/*.md']);
    const pushOf = (after: string, ...modified: readonly string[]) =>
      pushTo('main', secret, after, { before: 'b'.repeat(40), commits: [{ added: [], removed: [], modified }] });
    expect(await receive(token, pushOf('1', 'apps/api/main.ts', 'apps/web/README.md'))).toEqual({
      outcome: 'ignored',
      reason: 'the push changes no file that matches watch_paths',
      deployment_id: null,
    });
    expect(await receive(token, pushOf('2', 'README.md', 'apps/web/main.ts'))).toMatchObject({ outcome: 'deployed' });
    expect(await receive(token, pushTo('main', secret, '3', { forced: true }))).toMatchObject({ outcome: 'deployed' });
    expect(await receive(token, bare)).toMatchObject({ outcome: 'deployed' });
    expect(await resources.request(changeWebService, { ...caller, watch_paths: null })).toMatchObject({
      watch_paths: [],
    });
    expect(await receive(token, pushOf('4', 'apps/api/main.ts'))).toMatchObject({ outcome: 'deployed' });
  });

  it('refuses a wrong signature, a missing signature and an invalid event', async () => {
    const { caller, token, secret } = await newHook();
    expect(await codeOf(receive(token, pushTo('main', 'guessed')))).toBe('invalid_signature');
    const unsigned = { ...pushTo('main', secret), headers: { 'x-github-event': 'push' } };
    expect(await codeOf(receive(token, unsigned))).toBe('invalid_signature');
    const gitlab = { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': secret };
    const noJson = Buffer.from('{').toString('base64');
    expect(await codeOf(receive(token, { headers: gitlab, content_type: '', body: noJson }))).toBe('invalid_event');
    expect(await deploymentsOf(caller)).toBe(0);
  });

  it('ignores a push if the web service runs an image, and deploys the image for a call of a script', async () => {
    const { caller, token, secret } = await newHook();
    // The runtime of this fixture cannot be asked for images, so only the read model has one.
    const toImage = "UPDATE web_services SET git_repository_url = NULL, branch = NULL, image = 'nginx:1' WHERE id = $1";
    await resources.fixture.query(toImage, [caller.web_service_id]);
    expect(await receive(token, pushTo('trunk', secret))).toEqual({
      outcome: 'ignored',
      reason: 'the web service runs an image, which a push does not change',
      deployment_id: null,
    });
    expect(await receive(token, bare)).toMatchObject({ outcome: 'deployed' });
    expect(await deploymentsOf(caller)).toBe(1);
  });

  it('records a push without deploying if the web service does not deploy on push', async () => {
    const { caller, token, secret } = await newHook();
    await resources.request(changeWebService, { ...caller, auto_deploy: false });
    expect(await receive(token, pushTo('main', secret))).toMatchObject({ outcome: 'recorded' });
    expect(await deploymentsOf(caller)).toBe(0);
    expect(await resources.request(getDeployHook, caller)).toMatchObject({ deliveries: [{ outcome: 'recorded' }] });
  });

  it('accepts a limited number of calls per minute', async () => {
    const { token, secret } = await newHook();
    for (let call = 0; call < 30; call++) await receive(token, pushTo('other', secret, String(call + 1).repeat(3)));
    expect(await codeOf(receive(token, bare))).toBe('too_many_calls');
  });

  it('deploys once for concurrent deliveries of an event, and limits concurrent calls', async () => {
    const { caller, token, secret } = await newHook();
    const push = pushTo('main', secret);
    const replies = await Promise.all(Array.from({ length: 8 }, () => receive(token, push)));
    expect(replies.map(({ outcome }) => outcome).sort()).toEqual(['deployed', ...Array<string>(7).fill('ignored')]);
    expect(await deploymentsOf(caller)).toBe(1);
    const calls = await Promise.all(Array.from({ length: 50 }, () => codeOf(receive(token, bare))));
    expect(calls.filter(code => code === 'too_many_calls').length).toBeGreaterThanOrEqual(21);
  });

  it('accepts an event again if a kill interrupted its deployment', async () => {
    const { caller, token, secret } = await newHook();
    const push = pushTo('main', secret);
    await receive(token, push);
    const interrupt = (age: string) =>
      resources.fixture.query(
        `UPDATE deploy_hook_deliveries SET deployment_id = $1, at = now() - $2::interval
         WHERE hook_id = (SELECT id FROM deploy_hooks WHERE web_service_id = $3)`,
        [uuidv7(), age, caller.web_service_id],
      );
    await interrupt('30 seconds');
    expect(await receive(token, push)).toMatchObject({ outcome: 'ignored' });
    await interrupt('2 minutes');
    expect(await receive(token, push)).toMatchObject({ outcome: 'deployed' });
    expect(await receive(token, push)).toMatchObject({ outcome: 'ignored' });
  });

  it('accepts an event again if its deployment was refused', async () => {
    const { caller, token, secret } = await newHook();
    const push = pushTo('main', secret);
    const actor_id = await resources.fixture.operatorId();
    const moderate = { actor_id, web_service_id: caller.web_service_id };
    await resources.request(moderateWebService, { ...moderate, action: 'block', reason: 'phishing' });
    expect(await codeOf(receive(token, push))).toBe('service_blocked');
    await resources.request(moderateWebService, { ...moderate, action: 'unblock' });
    expect(await receive(token, push)).toMatchObject({ outcome: 'deployed' });
    expect(await deploymentsOf(caller)).toBe(1);
  });

  it('stops working when it is replaced or deleted, or its web service is deleted', async () => {
    const { caller, token } = await newHook();
    const second = (await resources.request(createDeployHook, caller)).url.split('/').at(-1)!;
    expect(await codeOf(receive(token, bare))).toBe('deploy_hook_not_found');
    await resources.request(deleteDeployHook, caller);
    expect(await codeOf(receive(second, bare))).toBe('deploy_hook_not_found');
    expect(await codeOf(resources.request(deleteDeployHook, caller))).toBe('deploy_hook_not_found');
    const third = (await resources.request(createDeployHook, caller)).url.split('/').at(-1)!;
    await resources.request(deleteWebService, caller);
    expect(await codeOf(receive(third, bare))).toBe('deploy_hook_not_found');
    expect(await codeOf(resources.request(createDeployHook, caller))).toBe('web_service_not_found');
  });
});
