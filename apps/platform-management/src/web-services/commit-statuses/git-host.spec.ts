import { describe, expect, it } from '@jest/globals';
import { type CommitStatus, commentRequest, commentText, gitHostOf, isAccepted, statusRequest } from './git-host.js';

const COMMIT = 'a'.repeat(40);
const STATUS: CommitStatus = {
  commit: COMMIT,
  state: 'success',
  context: 'postern/shop-pr-7',
  url: 'https://shop-pr-7.example.com',
};
const github = gitHostOf('https://github.com/shop/web.git', undefined)!;
const gitlab = gitHostOf('https://gitlab.com/shop/team/web.git', undefined)!;
const gitea = gitHostOf('https://git.example.com/shop/web', 'gitea')!;

describe('the API of a repository', () => {
  it.each([
    ['https://github.com/shop/web.git', undefined, 'github', 'https://api.github.com', 'shop/web'],
    ['https://github.com/shop/web/', 'gitlab', 'github', 'https://api.github.com', 'shop/web'],
    ['https://github.example.com/shop/web.git', 'github', 'github', 'https://github.example.com/api/v3', 'shop/web'],
    ['https://gitlab.com/shop/team/web.git', undefined, 'gitlab', 'https://gitlab.com/api/v4', 'shop/team/web'],
    ['https://git.example.com:8443/shop/web', 'gitlab', 'gitlab', 'https://git.example.com:8443/api/v4', 'shop/web'],
    ['https://codeberg.org/shop/web.git', undefined, 'gitea', 'https://codeberg.org/api/v1', 'shop/web'],
    ['https://example.com/git/shop/web.git', 'gitea', 'gitea', 'https://example.com/git/api/v1', 'shop/web'],
  ] as const)('%s is that of its host', (url, received, kind, apiUrl, repository) =>
    expect(gitHostOf(url, received)).toEqual({ kind, apiUrl, repository }),
  );

  it.each([
    ['https://git.example.com/shop/web.git', undefined],
    ['git@github.com:shop/web.git', 'github'],
    ['ssh://git@github.com/shop/web.git', 'github'],
    ['file:///repositories/web', 'github'],
    ['https://github.com/web', undefined],
    ['https://github.com/shop/a%2Fb', undefined],
  ] as const)('%s of a host of the kind %s is not known', (url, received) =>
    expect(gitHostOf(url, received)).toBeUndefined(),
  );
});

describe('a commit status', () => {
  it('of GitHub, GitLab and Gitea has their addresses, headers and words', () => {
    expect(statusRequest(github, 'secret', STATUS)).toEqual({
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
    expect(statusRequest(gitlab, 'secret', { ...STATUS, state: 'failure' })).toMatchObject({
      url: `https://gitlab.com/api/v4/projects/shop%2Fteam%2Fweb/statuses/${COMMIT}`,
      headers: { 'private-token': 'secret' },
      body: { state: 'failed' },
    });
    expect(statusRequest(gitea, 'secret', { ...STATUS, state: 'cancelled' })).toMatchObject({
      url: `https://git.example.com/api/v1/repos/shop/web/statuses/${COMMIT}`,
      headers: { authorization: 'token secret' },
      body: { state: 'error' },
    });
  });

  it('has no target while the URL is not known', () =>
    expect(statusRequest(github, 'secret', { ...STATUS, url: null }).body).not.toHaveProperty('target_url'));

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
    expect(commentRequest(host, 'secret', { pullRequest: 7, commentId, text: 'Hello' })).toMatchObject({
      method,
      url,
      body: { body: 'Hello' },
    }),
  );

  it('names the preview, its URL, the commit and its state', () => {
    expect(commentText('shop`-pr-7', STATUS)).toBe(
      '**Preview** `shop-pr-7`: https://shop-pr-7.example.com\n\nCommit aaaaaaaaaa: The deployment is live.\n\nThe preview is deleted when this request is closed.',
    );
    expect(commentText('shop', { ...STATUS, url: null })).toMatch(/^\*\*Preview\*\* `shop`\n/);
  });
});
