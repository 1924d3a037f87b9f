import { afterAll, describe, expect, it } from '@jest/globals';
import { PreviewsFixture } from '../../testing/previews-fixture.js';
import { bitbucketCall, bitbucketPullRequest, dataCenterPullRequest } from '../../testing/pull-request-events.js';

const previews = await PreviewsFixture.start();
afterAll(() => previews.stop());

describe('a preview', () => {
  it('is created again by new commits of a request that was reopened at Bitbucket Data Center', async () => {
    const hook = await previews.newService();
    const send = (event: string, updatedAt = previews.now()) =>
      previews.receive(hook, bitbucketCall(`pr:${event}`, dataCenterPullRequest(event, { updatedAt }), hook.secret));
    await send('opened');
    const late = previews.now();
    await send('declined');
    expect(await send('from_ref_updated', late)).toMatchObject({ outcome: 'ignored' });
    expect(await send('from_ref_updated')).toMatchObject({ outcome: 'deployed' });
    expect(await previews.previewsOf(hook)).toMatchObject([{ name: 'web-pr-7' }]);
  });

  it('is not deployed again when only the title of its request changes at Bitbucket Cloud', async () => {
    const hook = await previews.newService();
    const update = (title: string, commit: string) =>
      previews.receive(
        hook,
        bitbucketCall(
          'pullrequest:updated',
          bitbucketPullRequest('updated', { title, updatedAt: previews.now() }, commit),
          hook.secret,
        ),
      );
    expect(await update('Add a cart', '507a576e59b3')).toMatchObject({ outcome: 'deployed' });
    const [preview] = await previews.previewsOf(hook);
    await previews.resources.fixture.query('UPDATE deployments SET commit = $2 WHERE web_service_id = $1', [
      preview!.id,
      '507a576e59b3'.padEnd(40, '0'),
    ]);
    expect(await update('Add a better cart', '507a576e59b3')).toEqual({
      outcome: 'ignored',
      reason: 'pull request 7 has no new commits',
      deployment_id: null,
    });
    expect(await update('Add a better cart', 'c0ffee000000')).toMatchObject({ outcome: 'deployed' });
    expect(await previews.deploymentsOf(preview!.id)).toHaveLength(2);
  });
});
