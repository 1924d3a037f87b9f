/** The API of a Git host. Forgejo has that of Gitea; `bitbucket` is Bitbucket Cloud. */
export type GitHostKind = 'github' | 'gitlab' | 'gitea' | 'bitbucket' | 'bitbucket-data-center';

/** A repository at a Git host. */
export interface GitHost {
  readonly kind: GitHostKind;
  /** The pages of the host. */
  readonly baseUrl: string;
  readonly apiUrl: string;
  /** The path of the repository, such as `shop/web`. */
  readonly repository: string;
}

export type CommitState = 'pending' | 'success' | 'failure' | 'cancelled';

export interface CommitStatus {
  readonly commit: string;
  readonly state: CommitState;
  readonly webServiceId: string;
  /** Distinguishes the statuses of several web services of one commit. */
  readonly context: string;
  /** The URL of the web service; null if it is not known. */
  readonly url: string | null;
}

export interface GitHostRequest {
  readonly method: 'POST' | 'PATCH' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The user name and the token of the repository. */
export interface GitToken {
  readonly username: string;
  readonly token: string;
}

/** Hosts that are known before they send an event. */
const PUBLIC_HOSTS = new Map<string, { readonly kind: GitHostKind; readonly apiUrl: string }>([
  ['github.com', { kind: 'github', apiUrl: 'https://api.github.com' }],
  ['gitlab.com', { kind: 'gitlab', apiUrl: 'https://gitlab.com/api/v4' }],
  ['codeberg.org', { kind: 'gitea', apiUrl: 'https://codeberg.org/api/v1' }],
  ['bitbucket.org', { kind: 'bitbucket', apiUrl: 'https://api.bitbucket.org/2.0' }],
]);

const API_PATHS: Readonly<Record<GitHostKind, string>> = {
  github: '/api/v3',
  gitlab: '/api/v4',
  gitea: '/api/v1',
  bitbucket: '/2.0',
  'bitbucket-data-center': '/rest/api/1.0',
};

/** Returns the API of a repository; undefined if it is not known. `received` is the kind of host that sent events. */
export function gitHostOf(repositoryUrl: string, received: GitHostKind | undefined): GitHost | undefined {
  if (!/^https?:\/\//.test(repositoryUrl) || !URL.canParse(repositoryUrl)) return undefined;
  const { origin, hostname, pathname } = new URL(repositoryUrl);
  const known = PUBLIC_HOSTS.get(hostname);
  const kind = known?.kind ?? received;
  const parts = pathname
    .replace(/\.git\/?$/, '')
    .split('/')
    .filter(Boolean);
  if (kind === undefined || parts.length < 2 || !parts.every(part => /^[\w.~-]+$/.test(part))) return undefined;
  // A GitLab repository may be in nested groups; the others have an owner and a name.
  const named = kind === 'gitlab' ? parts : parts.slice(-2);
  const below = parts.slice(0, parts.length - named.length);
  // Data Center serves Git below this path, which its pages and API do not have.
  if (kind === 'bitbucket-data-center' && below.at(-1) === 'scm') below.pop();
  const baseUrl = [origin, ...below].join('/');
  return { kind, baseUrl, apiUrl: known?.apiUrl ?? `${baseUrl}${API_PATHS[kind]}`, repository: named.join('/') };
}

/** The states of the commit statuses at the hosts. */
const STATES: Readonly<Record<GitHostKind, Readonly<Record<CommitState, string>>>> = {
  github: { pending: 'pending', success: 'success', failure: 'failure', cancelled: 'error' },
  gitlab: { pending: 'running', success: 'success', failure: 'failed', cancelled: 'canceled' },
  gitea: { pending: 'pending', success: 'success', failure: 'failure', cancelled: 'error' },
  bitbucket: { pending: 'INPROGRESS', success: 'SUCCESSFUL', failure: 'FAILED', cancelled: 'STOPPED' },
  'bitbucket-data-center': {
    pending: 'INPROGRESS',
    success: 'SUCCESSFUL',
    failure: 'FAILED',
    cancelled: 'CANCELLED',
  },
};

const DESCRIPTIONS: Readonly<Record<CommitState, string>> = {
  pending: 'The deployment is in progress.',
  success: 'The deployment is live.',
  failure: 'The deployment failed.',
  cancelled: 'The deployment was cancelled.',
};

/** The request that sets the status of a commit. */
export function statusRequest(host: GitHost, token: GitToken, status: CommitStatus): GitHostRequest {
  const { commit, webServiceId, context, url } = status;
  const state = STATES[host.kind][status.state];
  const description = DESCRIPTIONS[status.state];
  const request = { method: 'POST', headers: headersOf(host.kind, token) } as const;
  const repository = repositoryUrlOf(host);
  if (isBitbucket(host.kind)) {
    // Bitbucket Cloud accepts keys of at most 40 characters, which a name may exceed.
    const path = host.kind === 'bitbucket' ? `commit/${commit}/statuses/build` : `commits/${commit}/builds`;
    const body = { key: webServiceId, name: context, state, description, url: url ?? commitPage(host, commit) };
    return { ...request, url: `${repository}/${path}`, body };
  }
  const body = { state, context, description, ...(url !== null && { target_url: url }) };
  return { ...request, url: `${repository}/statuses/${commit}`, body };
}

/** Bitbucket requires a URL also while that of the web service is not known. */
const commitPage = ({ kind, baseUrl, repository }: GitHost, commit: string): string =>
  `${baseUrl}/${kind === 'bitbucket' ? repository : dataCenterPath(repository)}/commits/${commit}`;

const isBitbucket = (kind: GitHostKind): boolean => kind === 'bitbucket' || kind === 'bitbucket-data-center';

/** What to write about a pull or merge request. */
export interface CommentText {
  readonly pullRequest: number;
  /** The comment to edit, as `commentIdIn` returned it; null to write one. */
  readonly commentId: string | null;
  readonly text: string;
}

/** The request that writes the comment of a pull or merge request, or edits one. */
export function commentRequest(host: GitHost, token: GitToken, comment: CommentText): GitHostRequest {
  const { path, editPath, editMethod, body } = commentFormOf(host.kind, comment);
  return {
    method: comment.commentId === null ? 'POST' : editMethod,
    url: `${repositoryUrlOf(host)}/${comment.commentId === null ? path : editPath}`,
    headers: headersOf(host.kind, token),
    body,
  };
}

const commentFormOf = (kind: GitHostKind, { pullRequest, commentId, text }: CommentText) => {
  const [id, version] = (commentId ?? '').split(':');
  const below = (path: string) => ({ path, editPath: `${path}/${id}`, editMethod: 'PUT' }) as const;
  switch (kind) {
    case 'gitlab':
      return { ...below(`merge_requests/${pullRequest}/notes`), body: { body: text } };
    case 'bitbucket':
      return { ...below(`pullrequests/${pullRequest}/comments`), body: { content: { raw: text } } };
    case 'bitbucket-data-center': {
      const body = { text, ...(version !== undefined && { version: Number(version) }) };
      return { ...below(`pull-requests/${pullRequest}/comments`), body };
    }
    default: {
      const edit = { editPath: `issues/comments/${id}`, editMethod: 'PATCH' } as const;
      return { path: `issues/${pullRequest}/comments`, ...edit, body: { body: text } };
    }
  }
};

/** The id of the comment in an answer, with the version that Data Center wants in the next edit; undefined without an id. */
export const commentIdIn = (kind: GitHostKind, { id, version }: CommentAnswer): string | undefined => {
  if (!Number.isSafeInteger(id)) return undefined;
  return kind === 'bitbucket-data-center' && Number.isSafeInteger(version) ? `${id}:${version}` : String(id);
};

interface CommentAnswer {
  readonly id?: unknown;
  readonly version?: unknown;
}

/** Whether the comment to edit was deleted, or at Data Center edited by somebody else. */
export const isCommentGone = (kind: GitHostKind, status: number): boolean =>
  status === 404 || (kind === 'bitbucket-data-center' && status === 409);

/** The text of the comment about a preview. */
export const commentText = (name: string, { commit, state, url }: CommitStatus): string =>
  [
    `**Preview** \`${name.replaceAll('`', '')}\`${url === null ? '' : `: ${url}`}`,
    `Commit ${commit.slice(0, 10)}: ${DESCRIPTIONS[state]}`,
    'The preview is deleted when this request is closed.',
  ].join('\n\n');

/** GitLab refuses a status that the commit already has. */
export const isAccepted = (kind: GitHostKind, status: number, body: string): boolean =>
  (status >= 200 && status < 300) || (kind === 'gitlab' && status === 400 && body.includes('Cannot transition status'));

const repositoryUrlOf = ({ kind, apiUrl, repository }: GitHost): string => {
  switch (kind) {
    case 'gitlab':
      return `${apiUrl}/projects/${encodeURIComponent(repository)}`;
    case 'bitbucket':
      return `${apiUrl}/repositories/${repository}`;
    case 'bitbucket-data-center':
      return `${apiUrl}/${dataCenterPath(repository)}`;
    default:
      return `${apiUrl}/repos/${repository}`;
  }
};

const dataCenterPath = (repository: string): string => `projects/${repository.replace('/', '/repos/')}`;

const headersOf = (kind: GitHostKind, token: GitToken): Record<string, string> => ({
  'content-type': 'application/json',
  accept: kind === 'github' ? 'application/vnd.github+json' : 'application/json',
  'user-agent': 'Postern',
  ...(kind === 'gitlab' ? { 'private-token': token.token } : { authorization: authorizationOf(kind, token) }),
});

/** User names that stand for a token which belongs to no user, the default one included. */
const TOKEN_USERNAMES = ['x-access-token', 'x-token-auth', 'x-bitbucket-api-token-auth'];

/** Bitbucket takes a token of a repository by itself, and one of a user with the user's name or email address. */
const authorizationOf = (kind: GitHostKind, { username, token }: GitToken): string => {
  if (kind === 'gitea') return `token ${token}`;
  if (!isBitbucket(kind) || TOKEN_USERNAMES.includes(username)) return `Bearer ${token}`;
  return `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
};
