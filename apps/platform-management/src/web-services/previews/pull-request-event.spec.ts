import { describe, expect, it } from '@jest/globals';
import {
  bitbucketPullRequest,
  dataCenterPullRequest,
  giteaPullRequest,
  githubPullRequest,
  gitlabMergeRequest,
} from '../../testing/pull-request-events.js';
import { type BitbucketPullRequestPayload, readBitbucketPullRequest } from './bitbucket-pull-request.js';
import { type PullRequestPayload, readMergeRequest, readPullRequest } from './pull-request-event.js';

/** Payloads come as JSON, whose fields have any type. */
const github = (payload: object) => readPullRequest(payload as PullRequestPayload);
const gitlab = (payload: object) => readMergeRequest(payload as PullRequestPayload);
const bitbucket = (event: string, payload: object = bitbucketPullRequest(event)) =>
  readBitbucketPullRequest(`pullrequest:${event}`, payload as BitbucketPullRequestPayload);
const dataCenter = (event: string, payload: object = dataCenterPullRequest(event)) =>
  readBitbucketPullRequest(`pr:${event}`, payload as BitbucketPullRequestPayload);

const EXPECTED = {
  kind: 'pull-request',
  number: 7,
  headBranch: 'feature',
  baseBranch: 'main',
  defaultBranch: 'main',
  isFork: false,
  changedAt: new Date('2030-01-02T03:04:05Z'),
};

describe('an event of a request', () => {
  it.each([
    ['opened', 'open'],
    ['synchronize', 'update'],
    ['reopened', 'reopen'],
    ['closed', 'close'],
  ])('%s of GitHub means %s', (action, expected) =>
    expect(github(githubPullRequest(action))).toEqual({
      ...EXPECTED,
      action: expected,
      url: 'https://github.com/shop/web/pull/7',
    }),
  );

  it.each([
    ['opened', 'open'],
    ['synchronized', 'update'],
    ['reopened', 'reopen'],
    ['closed', 'close'],
  ])('%s of Gitea and Forgejo means %s', (action, expected) =>
    expect(github(giteaPullRequest(action))).toEqual({
      ...EXPECTED,
      action: expected,
      url: 'https://git.example.com/shop/web/pulls/7',
    }),
  );

  it.each([
    ['open', 'open', {}],
    ['update', 'update', { oldrev: 'b'.repeat(40) }],
    ['reopen', 'reopen', {}],
    ['close', 'close', {}],
    ['merge', 'close', {}],
  ])('%s of GitLab means %s', (action, expected, more) =>
    expect(gitlab(gitlabMergeRequest(action, {}, more))).toEqual({
      ...EXPECTED,
      action: expected,
      url: 'https://gitlab.com/shop/web/-/merge_requests/7',
    }),
  );

  it.each([
    ['created', 'open'],
    ['updated', 'update'],
    ['fulfilled', 'close'],
    ['rejected', 'close'],
  ])('%s of Bitbucket Cloud means %s', (event, action) =>
    expect(bitbucket(event)).toEqual({
      ...EXPECTED,
      action,
      defaultBranch: undefined,
      url: 'https://bitbucket.org/shop/web/pull-requests/7',
      ...(action === 'update' && { headCommit: '507a576e59b3' }),
    }),
  );

  it.each([
    ['opened', 'open'],
    ['from_ref_updated', 'reopen'],
    ['reopened', 'reopen'],
    ['merged', 'close'],
    ['declined', 'close'],
    ['deleted', 'close'],
  ])('%s of Bitbucket Data Center means %s', (event, action) =>
    expect(dataCenter(event)).toEqual({
      ...EXPECTED,
      action,
      defaultBranch: undefined,
      url: 'https://git.example.com/projects/SHOP/repos/web/pull-requests/7',
    }),
  );

  it.each([
    ['a label at GitHub', github(githubPullRequest('labeled')), /the action labeled/],
    ['an approval at GitLab', gitlab(gitlabMergeRequest('approved')), /the action approved/],
    ['an approval at Bitbucket Cloud', bitbucket('approved'), /the event pullrequest:approved/],
    ['a new title at Bitbucket Data Center', dataCenter('modified'), /the event pr:modified/],
    ['an inherited property at Bitbucket', dataCenter('constructor'), /the event pr:constructor/],
    [
      'new commits of a declined request at Bitbucket Cloud',
      bitbucket('updated', bitbucketPullRequest('updated', { state: 'DECLINED' })),
      /7 is closed/,
    ],
    [
      'new commits of a merged request at Bitbucket Data Center',
      dataCenter('from_ref_updated', dataCenterPullRequest('from_ref_updated', { state: 'MERGED' })),
      /7 is closed/,
    ],
    [
      'a marker in the title, at Bitbucket Cloud',
      bitbucket('created', bitbucketPullRequest('created', { title: '[skip deploy] Docs' })),
      /contains \[skip deploy\]/,
    ],
    [
      'a marker in the title, at Bitbucket Data Center',
      dataCenter('opened', dataCenterPullRequest('opened', { title: 'Docs [ci skip]' })),
      /contains \[ci skip\]/,
    ],
    ['a name of an inherited property', github(githubPullRequest('constructor')), /the action constructor/],
    ['an update without commits at GitLab', gitlab(gitlabMergeRequest('update')), /brings no commits/],
    ['new commits of a closed request', github(githubPullRequest('synchronized', { state: 'closed' })), /7 is closed/],
    ['new commits of a merged request', gitlab(gitlabMergeRequest('open', { state: 'merged' })), /7 is closed/],
    ['a marker in the title', github(githubPullRequest('opened', { title: 'Docs [skip ci]' })), /contains \[skip ci\]/],
    [
      'a marker in the newest commit, at GitLab',
      gitlab(gitlabMergeRequest('open', {}, { last_commit: { message: 'Docs\n\n[CI SKIP]' } })),
      /contains \[ci skip\]/,
    ],
  ])('is ignored for %s', (_, event, reason) =>
    expect(event).toEqual({ kind: 'other', reason: expect.stringMatching(reason) }),
  );

  it('with a marker still closes the request', () =>
    expect(github(githubPullRequest('closed', { title: '[skip ci]' }))).toMatchObject({ action: 'close' }));

  it.each([
    ['at GitHub', github(githubPullRequest('opened', { headRepository: 2 }))],
    ['that was deleted, at GitHub', github(githubPullRequest('opened', { headRepository: null }))],
    ['at Gitea', github(giteaPullRequest('opened', { headRepository: 2 }))],
    ['at GitLab', gitlab(gitlabMergeRequest('open', { headRepository: 2 }))],
    ['at Bitbucket Cloud', bitbucket('created', bitbucketPullRequest('created', { headRepository: 2 }))],
    ['that was deleted, at Bitbucket', bitbucket('created', bitbucketPullRequest('created', { headRepository: null }))],
    ['at Bitbucket Data Center', dataCenter('opened', dataCenterPullRequest('opened', { headRepository: 2 }))],
    ['without an id', gitlab(gitlabMergeRequest('open', {}, { source_project_id: null, target_project_id: null }))],
  ])('from a fork %s is known as such', (_, event) => expect(event).toMatchObject({ isFork: true }));

  it('closes a request whose branch was deleted', () => {
    const { pull_request, ...payload } = githubPullRequest('closed');
    const head = { ...pull_request.head, ref: undefined, repo: null };
    expect(github({ ...payload, pull_request: { ...pull_request, head } })).toMatchObject({
      action: 'close',
      number: 7,
    });
  });

  it.each([
    ['without a request', { action: 'opened' }],
    ['with null instead of a request', { action: 'opened', pull_request: null }],
    ['with a text as number', githubPullRequest('opened', { number: '7' as never })],
    ['with number 0', githubPullRequest('opened', { number: 0 })],
    ['with a number that no column stores', githubPullRequest('opened', { number: 2 ** 31 })],
    ['with a branch that is an option of Git', githubPullRequest('opened', { head: '--upload-pack=x' })],
    ['with a branch that is a revision', githubPullRequest('opened', { head: 'main@{1}' })],
  ])('%s is refused', (_, payload) => expect(() => github(payload)).toThrow());

  it.each([
    ['without a request', {}],
    ['with null instead of a request', { pullrequest: null, pullRequest: null }],
    ['with a text as number', { ...bitbucketPullRequest('created', { number: '7' as never }) }],
    ['without branches', { pullrequest: { id: 7, state: 'OPEN' }, pullRequest: { id: 7, state: 'OPEN' } }],
    [
      'with a branch that is an option of Git',
      {
        ...bitbucketPullRequest('created', { head: '--upload-pack=x' }),
        ...dataCenterPullRequest('opened', { head: '--upload-pack=x' }),
      },
    ],
  ])('of Bitbucket %s is refused', (_, payload) => {
    expect(() => bitbucket('created', payload)).toThrow();
    expect(() => dataCenter('opened', payload)).toThrow();
  });

  it('of Bitbucket closes a request whose branch was deleted', () => {
    const { pullrequest, ...payload } = bitbucketPullRequest('fulfilled');
    expect(bitbucket('fulfilled', { ...payload, pullrequest: { ...pullrequest, source: null } })).toMatchObject({
      action: 'close',
      number: 7,
    });
  });

  it.each(['javascript:alert(1)', 'https://', 'x'.repeat(3_000), 7, undefined])('has no page at %j', html_url => {
    const { pull_request, ...payload } = githubPullRequest('opened');
    expect(github({ ...payload, pull_request: { ...pull_request, html_url } })).toMatchObject({ url: undefined });
  });

  it.each(['yesterday', '-271821-04-20T00:00:00Z', true, null])('has no time if it says %j', updated_at => {
    const { pull_request, ...payload } = githubPullRequest('opened');
    expect(github({ ...payload, pull_request: { ...pull_request, updated_at } })).toMatchObject({
      changedAt: undefined,
    });
  });
});
