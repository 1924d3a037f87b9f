import { createHmac } from 'node:crypto';

/** What the events of all Git hosts have in common. */
export interface RequestFacts {
  readonly number?: number;
  readonly head?: string;
  readonly base?: string;
  readonly title?: string;
  readonly updatedAt?: string;
  readonly headRepository?: number | null;
  readonly state?: string;
}

const REPOSITORY = 1_296_269;

/** The payload of GitHub, in the form that its documentation shows, as far as it concerns previews. */
export const githubPullRequest = (
  action: string,
  { number = 7, head = 'feature', base = 'main', title = 'Add a cart', ...facts }: RequestFacts = {},
) => ({
  action,
  number,
  pull_request: {
    url: `https://api.github.com/repos/shop/web/pulls/${number}`,
    html_url: `https://github.com/shop/web/pull/${number}`,
    number,
    state: facts.state ?? (action === 'closed' ? 'closed' : 'open'),
    title,
    draft: false,
    merged: false,
    updated_at: facts.updatedAt ?? '2030-01-02T03:04:05Z',
    head: {
      label: `shop:${head}`,
      ref: head,
      sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
      repo: facts.headRepository === null ? null : { id: facts.headRepository ?? REPOSITORY, full_name: 'shop/web' },
    },
    base: {
      label: `shop:${base}`,
      ref: base,
      sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
      repo: { id: REPOSITORY },
    },
  },
  ...(action === 'synchronize' && { before: 'b'.repeat(40), after: 'a'.repeat(40) }),
  repository: { id: REPOSITORY, full_name: 'shop/web', default_branch: 'main' },
  sender: { login: 'ada', type: 'User' },
});

/** The payload of Gitea and Forgejo. */
export const giteaPullRequest = (action: string, facts: RequestFacts = {}) => {
  const { pull_request, repository, number } = githubPullRequest(action, facts);
  return {
    action,
    number,
    pull_request: {
      ...pull_request,
      html_url: `https://git.example.com/shop/web/pulls/${number}`,
      head: { ...pull_request.head, repo_id: pull_request.head.repo?.id ?? -1 },
      base: { ...pull_request.base, repo_id: REPOSITORY },
    },
    repository: { ...repository, html_url: 'https://git.example.com/shop/web' },
    commit_id: '',
    requested_reviewer: null,
    review: null,
  };
};

/** The payload of GitLab; `oldrev` is present if the update brings commits. */
export const gitlabMergeRequest = (
  action: string,
  { number = 7, head = 'feature', base = 'main', title = 'Add a cart', ...facts }: RequestFacts = {},
  more: object = {},
) => ({
  object_kind: 'merge_request',
  event_type: 'merge_request',
  project: { id: REPOSITORY, web_url: 'https://gitlab.com/shop/web', default_branch: 'main' },
  object_attributes: {
    id: 99,
    iid: number,
    target_branch: base,
    source_branch: head,
    source_project_id: facts.headRepository ?? REPOSITORY,
    target_project_id: REPOSITORY,
    title,
    state: facts.state ?? { close: 'closed', merge: 'merged' }[action] ?? 'opened',
    updated_at: facts.updatedAt ?? '2030-01-02 03:04:05 UTC',
    last_commit: { id: 'a'.repeat(40), message: 'Add a cart\n' },
    url: `https://gitlab.com/shop/web/-/merge_requests/${number}`,
    action,
    ...more,
  },
  labels: [],
  changes: {},
});

const REPOSITORY_UUID = '{bc771cbf-829e-4c4b-b71f-a0eb3ac2b860}';

const CLOUD_STATES: Readonly<Record<string, string>> = { fulfilled: 'MERGED', rejected: 'DECLINED' };

/** The payload of Bitbucket Cloud, without the parts about people. Its commits are abbreviated. */
export const bitbucketPullRequest = (
  event: string,
  { number = 7, head = 'feature', base = 'main', title = 'Add a cart', ...facts }: RequestFacts = {},
  commit = '507a576e59b3',
) => {
  const repositoryOf = (uuid: string) => ({ type: 'repository', full_name: 'shop/web', name: 'web', uuid });
  const headUuid = facts.headRepository === undefined ? REPOSITORY_UUID : `{${facts.headRepository}}`;
  return {
    pullrequest: {
      type: 'pullrequest',
      id: number,
      title,
      description: '',
      state: facts.state ?? CLOUD_STATES[event] ?? 'OPEN',
      draft: false,
      links: {
        self: { href: `https://api.bitbucket.org/2.0/repositories/shop/web/pullrequests/${number}` },
        html: { href: `https://bitbucket.org/shop/web/pull-requests/${number}` },
      },
      source: {
        branch: { name: head },
        commit: { type: 'commit', hash: commit },
        repository: facts.headRepository === null ? null : repositoryOf(headUuid),
      },
      destination: {
        branch: { name: base },
        commit: { type: 'commit', hash: '7d1a175411ef' },
        repository: repositoryOf(REPOSITORY_UUID),
      },
      created_on: '2030-01-01T00:00:00.000000+00:00',
      updated_on: facts.updatedAt ?? '2030-01-02T03:04:05.000000+00:00',
    },
    repository: { ...repositoryOf(REPOSITORY_UUID), scm: 'git', is_private: true },
  };
};

const DATA_CENTER_STATES: Readonly<Record<string, string>> = { merged: 'MERGED', declined: 'DECLINED' };

/** The payload of Bitbucket Data Center, without the parts about people. Its times are milliseconds. */
export const dataCenterPullRequest = (
  event: string,
  { number = 7, head = 'feature', base = 'main', title = 'Add a cart', ...facts }: RequestFacts = {},
) => {
  const repositoryOf = (id: number) => ({ slug: 'web', id, scmId: 'git', project: { key: 'SHOP', id: 2 } });
  const sideOf = (branch: string, repository: object | null) => ({
    ...{ id: `refs/heads/${branch}`, displayId: branch, latestCommit: '208b0a5c05eddadad01f2aed8802fe0c3b3eaf5e' },
    ...{ type: 'BRANCH', repository },
  });
  const state = facts.state ?? DATA_CENTER_STATES[event] ?? 'OPEN';
  return {
    eventKey: `pr:${event}`,
    date: '2030-01-02T03:04:05+0000',
    pullRequest: {
      ...{ id: number, version: 0, title, state, open: state === 'OPEN', closed: state !== 'OPEN', locked: false },
      createdDate: Date.UTC(2030, 0, 1),
      updatedDate: new Date(facts.updatedAt ?? '2030-01-02T03:04:05Z').getTime(),
      fromRef: sideOf(head, facts.headRepository === null ? null : repositoryOf(facts.headRepository ?? 84)),
      toRef: sideOf(base, repositoryOf(84)),
      links: { self: [{ href: `https://git.example.com/projects/SHOP/repos/web/pull-requests/${number}` }] },
    },
  };
};

const signed = (secret: string, body: Buffer) => createHmac('sha256', secret).update(body).digest('hex');

/** A call of the deploy hook as GitHub makes it. */
export const githubCall = (name: string, payload: object, secret: string) => {
  const body = Buffer.from(JSON.stringify(payload));
  return {
    headers: { 'x-github-event': name, 'x-hub-signature-256': `sha256=${signed(secret, body)}` },
    content_type: 'application/json',
    body: body.toString('base64'),
  };
};

/** Gitea and Forgejo send the headers of GitHub as well. */
export const giteaCall = (host: 'gitea' | 'forgejo', payload: object, secret: string) => {
  const { headers, ...call } = githubCall('pull_request', payload, secret);
  const signature = headers['x-hub-signature-256'].slice('sha256='.length);
  const own =
    host === 'gitea'
      ? { 'x-gitea-event': 'pull_request', 'x-gitea-signature': signature }
      : { 'x-forgejo-event': 'pull_request', 'x-forgejo-signature': signature };
  return { ...call, headers: { ...headers, 'x-gitea-event': 'pull_request', 'x-gitea-signature': signature, ...own } };
};

export const gitlabCall = (payload: object, secret: string) => ({
  headers: { 'x-gitlab-event': 'Merge Request Hook', 'x-gitlab-token': secret },
  content_type: 'application/json',
  body: Buffer.from(JSON.stringify(payload)).toString('base64'),
});

/** A call as Bitbucket Cloud and Data Center make it. */
export const bitbucketCall = (key: string, payload: object, secret: string) => {
  const body = Buffer.from(JSON.stringify(payload));
  return {
    headers: { 'x-event-key': key, 'x-hub-signature': `sha256=${signed(secret, body)}` },
    content_type: 'application/json',
    body: body.toString('base64'),
  };
};
