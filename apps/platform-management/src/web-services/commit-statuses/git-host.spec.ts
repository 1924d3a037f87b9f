import { describe, expect, it } from '@jest/globals';
import {
  type CommitStatus,
  commentIdIn,
  commentRequest,
  commentText,
  type GitToken,
  gitHostOf,
  isAccepted,
  isCommentGone,
  statusRequest,
} from './git-host.js';

const COMMIT = 'a'.repeat(40);
const STATUS: CommitStatus = {
  commit: COMMIT,
  state: 'success',
  webServiceId: '0190a6c0-0000-7000-8000-000000000001',
  context: 'postern/shop-pr-7',
  url: 'https://shop-pr-7.example.com',
};
const github = gitHostOf('https://github.com/shop/web.git', undefined)!;
const gitlab = gitHostOf('https://gitlab.com/shop/team/web.git', undefined)!;
const gitea = gitHostOf('https://git.example.com/shop/web', 'gitea')!;
const bitbucket = gitHostOf('https://bitbucket.org/shop/web.git', undefined)!;
const dataCenter = gitHostOf('https://git.example.com/scm/SHOP/web.git', 'bitbucket-data-center')!;
const TOKEN: GitToken = { username: 'x-access-token', token: 'secret' };

describe('the API of a repository', () => {
  it.each([
    ['https://github.com/shop/web.git', undefined, 'github', 'https://api.github.com', 'shop/web'],
    ['https://github.com/shop/web/', 'gitlab', 'github', 'https://api.github.com', 'shop/web'],
    ['https://github.example.com/shop/web.git', 'github', 'github', 'https://github.example.com/api/v3', 'shop/web'],
    ['https://gitlab.com/shop/team/web.git', undefined, 'gitlab', 'https://gitlab.com/api/v4', 'shop/team/web'],
    ['https://git.example.com:8443/shop/web', 'gitlab', 'gitlab', 'https://git.example.com:8443/api/v4', 'shop/web'],
    ['https://codeberg.org/shop/web.git', undefined, 'gitea', 'https://codeberg.org/api/v1', 'shop/web'],
    ['https://example.com/git/shop/web.git', 'gitea', 'gitea', 'https://example.com/git/api/v1', 'shop/web'],
    ['https://bitbucket.org/shop/web.git', undefined, 'bitbucket', 'https://api.bitbucket.org/2.0', 'shop/web'],
    ['https://ada@bitbucket.org/shop/web', 'github', 'bitbucket', 'https://api.bitbucket.org/2.0', 'shop/web'],
    [
      'https://example.com/code/scm/~ada/web.git',
      'bitbucket-data-center',
      'bitbucket-data-center',
      'https://example.com/code/rest/api/1.0',
      '~ada/web',
    ],
  ] as const)('%s is that of its host', (url, received, kind, apiUrl, repository) =>
    expect(gitHostOf(url, received)).toMatchObject({ kind, apiUrl, repository }),
  );

  it.each([
    ['https://git.example.com/shop/web.git', undefined],
    ['git@github.com:shop/web.git', 'github'],
    ['ssh://git@github.com/shop/web.git', 'github'],
    ['https://constructor/shop/web.git', undefined],
    ['file:///repositories/web', 'github'],
    ['https://github.com/web', undefined],
    ['https://github.com/shop/a%2Fb', undefined],
  ] as const)('%s of a host of the kind %s is not known', (url, received) =>
    expect(gitHostOf(url, received)).toBeUndefined(),
  );
});

describe('a commit status', () => {
  it('of GitHub, GitLab and Gitea has their addresses, headers and words', () => {
    expect(statusRequest(github, TOKEN, STATUS)).toEqual({
      method: 'POST',
      url: `https://api.github.com/repos/shop/web/statuses/${COMMIT}`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/vnd.github+json',
        'user-agent': 'Postern',
        authorization: 'Bearer secret',
      },
      body: {
        state: 'success',
        context: 'postern/shop-pr-7',
        description: 'The deployment is live.',
        target_url: 'https://shop-pr-7.example.com',
      },
    });
    expect(statusRequest(gitlab, TOKEN, { ...STATUS, state: 'failure' })).toMatchObject({
      url: `https://gitlab.com/api/v4/projects/shop%2Fteam%2Fweb/statuses/${COMMIT}`,
      headers: { 'private-token': 'secret' },
      body: { state: 'failed' },
    });
    expect(statusRequest(gitea, TOKEN, { ...STATUS, state: 'cancelled' })).toMatchObject({
      url: `https://git.example.com/api/v1/repos/shop/web/statuses/${COMMIT}`,
      headers: { authorization: 'token secret' },
      body: { state: 'error' },
    });
  });

  it('of Bitbucket Cloud and Data Center is a build', () => {
    expect(statusRequest(bitbucket, TOKEN, { ...STATUS, state: 'cancelled' })).toMatchObject({
      method: 'POST',
      url: `https://api.bitbucket.org/2.0/repositories/shop/web/commit/${COMMIT}/statuses/build`,
      headers: { authorization: 'Bearer secret' },
      body: {
        key: STATUS.webServiceId,
        name: 'postern/shop-pr-7',
        state: 'STOPPED',
        description: 'The deployment was cancelled.',
        url: STATUS.url,
      },
    });
    expect(statusRequest(dataCenter, TOKEN, { ...STATUS, url: null })).toMatchObject({
      url: `https://git.example.com/rest/api/1.0/projects/SHOP/repos/web/commits/${COMMIT}/builds`,
      body: { state: 'SUCCESSFUL', url: `https://git.example.com/projects/SHOP/repos/web/commits/${COMMIT}` },
    });
    expect(statusRequest(bitbucket, TOKEN, { ...STATUS, url: null }).body).toMatchObject({
      url: `https://bitbucket.org/shop/web/commits/${COMMIT}`,
    });
  });

  it.each([
    ['x-token-auth', 'Bearer secret'],
    ['x-bitbucket-api-token-auth', 'Bearer secret'],
    ['ada', `Basic ${btoa('ada:secret')}`],
    ['ada@example.com', `Basic ${btoa('ada@example.com:secret')}`],
  ])('is sent to Bitbucket with the user name %s as %s', (username, authorization) =>
    expect(statusRequest(bitbucket, { ...TOKEN, username }, STATUS).headers).toMatchObject({ authorization }),
  );

  it('has no target while the URL is not known', () =>
    expect(statusRequest(github, TOKEN, { ...STATUS, url: null }).body).not.toHaveProperty('target_url'));

  it('is accepted by GitLab also if the commit has it already', () => {
    const message = '{"message":"Cannot transition status via :run from :running"}';
    expect(isAccepted('gitlab', 400, message)).toBe(true);
    expect(isAccepted('github', 400, message)).toBe(false);
    expect(isAccepted('gitlab', 400, '{"message":"400 bad request"}')).toBe(false);
    expect(isAccepted('github', 201, '{}')).toBe(true);
    expect(isAccepted('github', 302, '')).toBe(false);
  });
});

describe('a comment', () => {
  it.each([
    ['GitHub', github, null, 'POST', 'https://api.github.com/repos/shop/web/issues/7/comments'],
    ['GitHub', github, '42', 'PATCH', 'https://api.github.com/repos/shop/web/issues/comments/42'],
    ['GitLab', gitlab, null, 'POST', 'https://gitlab.com/api/v4/projects/shop%2Fteam%2Fweb/merge_requests/7/notes'],
    ['GitLab', gitlab, '42', 'PUT', 'https://gitlab.com/api/v4/projects/shop%2Fteam%2Fweb/merge_requests/7/notes/42'],
    ['Gitea', gitea, null, 'POST', 'https://git.example.com/api/v1/repos/shop/web/issues/7/comments'],
    ['Gitea', gitea, '42', 'PATCH', 'https://git.example.com/api/v1/repos/shop/web/issues/comments/42'],
  ])('of %s is written and edited at its address', (_, host, commentId, method, url) =>
    expect(commentRequest(host, TOKEN, { pullRequest: 7, commentId, text: 'Hello' })).toMatchObject({
      method,
      url,
      body: { body: 'Hello' },
    }),
  );

  it.each([
    [
      'Cloud',
      bitbucket,
      'https://api.bitbucket.org/2.0/repositories/shop/web/pullrequests/7/comments',
      { content: { raw: 'Hello' } },
      { id: 42, version: 3 },
      '42',
      { content: { raw: 'Hello' } },
    ],
    [
      'Data Center',
      dataCenter,
      'https://git.example.com/rest/api/1.0/projects/SHOP/repos/web/pull-requests/7/comments',
      { text: 'Hello' },
      { id: 42, version: 3 },
      '42:3',
      { text: 'Hello', version: 3 },
    ],
  ])('of Bitbucket %s is written and edited at its address', (_, host, url, body, answer, commentId, edited) => {
    const comment = { pullRequest: 7, text: 'Hello' };
    expect(commentRequest(host, TOKEN, { ...comment, commentId: null })).toMatchObject({ method: 'POST', url, body });
    expect(commentIdIn(host.kind, answer)).toBe(commentId);
    const edit = commentRequest(host, TOKEN, { ...comment, commentId });
    expect(edit).toMatchObject({ method: 'PUT', url: `${url}/42` });
    expect(edit.body).toEqual(edited);
  });

  it('is gone after 404, and at Data Center after somebody else edited it', () => {
    expect([isCommentGone('github', 404), isCommentGone('github', 409)]).toEqual([true, false]);
    expect(isCommentGone('bitbucket-data-center', 409)).toBe(true);
    expect(commentIdIn('github', { id: '42' })).toBeUndefined();
  });

  it('names the preview, its URL, the commit and its state', () => {
    expect(commentText('shop`-pr-7', STATUS)).toBe(
      '**Preview** `shop-pr-7`: https://shop-pr-7.example.com\n\nCommit aaaaaaaaaa: The deployment is live.\n\nThe preview is deleted when this request is closed.',
    );
    expect(commentText('shop', { ...STATUS, url: null })).toMatch(/^\*\*Preview\*\* `shop`\n/);
  });
});
