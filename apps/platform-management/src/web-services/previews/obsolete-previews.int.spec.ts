import { afterAll, describe, expect, it } from '@jest/globals';
import { getDeployHook, getWebService, moderateWebService, setWorkspaceQuotas } from '@postern/contracts';
import { codeOf } from '../../testing/accounts-fixture.js';
import { type PreviewedService, PreviewsFixture } from '../../testing/previews-fixture.js';
import { githubCall, githubPullRequest } from '../../testing/pull-request-events.js';
import { refusalOf } from '../../testing/resources-fixture.js';
import { DeleteObsoletePreviews } from './delete-obsolete-previews.js';

const previews = await PreviewsFixture.start();
afterAll(() => previews.stop());

const cleanUp = () =>
  previews.resources.fixture.replicas[0]!.app.get(DeleteObsoletePreviews, { strict: false }).run({
    signal: new AbortController().signal,
  });

describe('a preview that cannot be created', () => {
  it('for a quota names the quota in the answer and in the list of calls, and can be delivered again', async () => {
    const { id: user_id, workspaces } = await previews.resources.fixture.newUser();
    const id = String(workspaces[0]?.id);
    const hook = await previews.newService({}, { user_id, workspace_id: id });
    const actor_id = await previews.resources.fixture.operatorId();
    await previews.resources.request(setWorkspaceQuotas, { actor_id, id, quotas: { web_services: 1 } });
    const call = githubCall('pull_request', githubPullRequest('opened'), hook.secret);
    const refusal = await refusalOf(previews.receive(hook, call));
    expect(refusal).toMatchObject({ code: 'quota_reached', message: expect.stringMatching(/web services/) });
    const { deliveries } = await previews.resources.request(getDeployHook, hook.caller);
    expect(deliveries).toMatchObject([{ outcome: 'ignored', reason: refusal.message, deployment_id: null }]);
    await previews.resources.request(setWorkspaceQuotas, { actor_id, id, quotas: { web_services: 5 } });
    expect(await previews.receive(hook, call)).toMatchObject({ outcome: 'deployed' });
  });

  it('because its web service is blocked says so', async () => {
    const hook = await previews.newService();
    const actor_id = await previews.resources.fixture.operatorId();
    const moderate = { actor_id, web_service_id: hook.service.id };
    await previews.resources.request(moderateWebService, { ...moderate, action: 'block', reason: 'phishing' });
    expect(await codeOf(previews.github(hook, 'opened'))).toBe('service_blocked');
    expect(await previews.previewsOf(hook)).toEqual([]);
  });
});

describe('a preview that nothing deleted', () => {
  const age = (hook: PreviewedService, change: string) =>
    previews.resources.fixture.query(`UPDATE pull_requests SET ${change} WHERE web_service_id = $1`, [hook.service.id]);

  it('is kept while its request is open', async () => {
    const hook = await previews.newService();
    await previews.github(hook, 'opened');
    await age(hook, "received_at = now() - interval '29 days'");
    await cleanUp();
    expect(await previews.previewsOf(hook)).toHaveLength(1);
  });

  it.each([
    ['after 30 days without an event', "received_at = now() - interval '31 days'"],
    ['after a crash between the event that closed the request and the deletion', 'is_open = false'],
  ])('is deleted %s', async (_, change) => {
    const hook = await previews.newService();
    await previews.github(hook, 'opened');
    await age(hook, change);
    await cleanUp();
    expect(await previews.previewsOf(hook)).toEqual([]);
  });

  it('is deleted while its web service is blocked', async () => {
    const hook = await previews.newService();
    await previews.github(hook, 'opened');
    const actor_id = await previews.resources.fixture.operatorId();
    const moderate = { actor_id, web_service_id: hook.service.id };
    await previews.resources.request(moderateWebService, { ...moderate, action: 'block', reason: 'phishing' });
    await cleanUp();
    expect(await previews.previewsOf(hook)).toEqual([]);
  });

  it('is deleted if its web service was deleted at the moment of its creation', async () => {
    const hook = await previews.newService();
    await previews.github(hook, 'opened');
    const [preview] = await previews.previewsOf(hook);
    await previews.resources.fixture.query('DELETE FROM web_services WHERE id = $1', [hook.service.id]);
    await cleanUp();
    const gone = previews.resources.request(getWebService, { ...previews.resources.user, web_service_id: preview!.id });
    expect(await codeOf(gone)).toBe('web_service_not_found');
  });
});
