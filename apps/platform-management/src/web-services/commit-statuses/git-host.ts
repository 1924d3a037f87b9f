/** The API of a Git host. Forgejo has that of Gitea. */
export type GitHostKind = 'github' | 'gitlab' | 'gitea';

/** A repository at a Git host. */
export interface GitHost {
  readonly kind: GitHostKind;
  readonly apiUrl: string;
  /** The path of the repository, such as `shop/web`. */
  readonly repository: string;
}

export type CommitState = 'pending' | 'success' | 'failure' | 'cancelled';

export interface CommitStatus {
  readonly commit: string;
  readonly state: CommitState;
  /** Distinguishes the statuses of several web services of one commit. */
  readonly context: string;
  /** The URL of the web service; null if it is not known. */
  readonly url: string | null;
}

export interface GitHostRequest {
  readonly method: 'POST' | 'PATCH' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, string>>;
}

const PUBLIC_HOSTS: Readonly<Record<string, GitHostKind>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'codeberg.org': 'gitea',
};

/** Returns the API of a repository; undefined if it is not known. `received` is the kind of host that sent events. */
export function gitHostOf(repositoryUrl: string, received: GitHostKind | undefined): GitHost | undefined {
  if (!/^https?:\/\//.test(repositoryUrl) || !URL.canParse(repositoryUrl)) return undefined;
  const { origin, hostname, pathname } = new URL(repositoryUrl);
  const kind = Object.hasOwn(PUBLIC_HOSTS, hostname) ? PUBLIC_HOSTS[hostname] : received;
  const parts = pathname
    .replace(/\.git\/?$/, '')
    .split('/')
    .filter(Boolean);
  if (kind === undefined || parts.length < 2 || !parts.every(part => /^[\w.~-]+$/.test(part))) return undefined;
  // A GitLab repository may be in nested groups; the others have an owner and a name.
  const repository = (kind === 'gitlab' ? parts : parts.slice(-2)).join('/');
  const below =
    kind === 'gitlab'
      ? ''
      : parts
          .slice(0, -2)
          .map(part => `/${part}`)
          .join('');
  return { kind, apiUrl: apiUrlOf(kind, hostname, `${origin}${below}`), repository };
}

const apiUrlOf = (kind: GitHostKind, hostname: string, base: string): string => {
  if (kind === 'gitlab') return `${base}/api/v4`;
  if (kind === 'gitea') return `${base}/api/v1`;
  return hostname === 'github.com' ? 'https://api.github.com' : `${base}/api/v3`;
};

/** The states of the commit statuses at the hosts. */
const STATES: Readonly<Record<GitHostKind, Readonly<Record<CommitState, string>>>> = {
  github: { pending: 'pending', success: 'success', failure: 'failure', cancelled: 'error' },
  gitlab: { pending: 'running', success: 'success', failure: 'failed', cancelled: 'canceled' },
  gitea: { pending: 'pending', success: 'success', failure: 'failure', cancelled: 'error' },
};

const DESCRIPTIONS: Readonly<Record<CommitState, string>> = {
  pending: 'The deployment is in progress.',
  success: 'The deployment is live.',
  failure: 'The deployment failed.',
  cancelled: 'The deployment was cancelled.',
};

/** The request that sets the status of a commit. */
export const statusRequest = (host: GitHost, token: string, status: CommitStatus): GitHostRequest => ({
  method: 'POST',
  url: `${repositoryUrlOf(host)}/statuses/${status.commit}`,
  headers: headersOf(host.kind, token),
  body: {
    state: STATES[host.kind][status.state],
    context: status.context,
    description: DESCRIPTIONS[status.state],
    ...(status.url !== null && { target_url: status.url }),
  },
});

/** The request that writes the comment of a pull or merge request, or edits the one with this id. */
export function commentRequest(
  host: GitHost,
  token: string,
  {
    pullRequest,
    commentId,
    text,
  }: { readonly pullRequest: number; readonly commentId: string | null; readonly text: string },
): GitHostRequest {
  const repository = repositoryUrlOf(host);
  const comments = host.kind === 'gitlab' ? `merge_requests/${pullRequest}/notes` : `issues/${pullRequest}/comments`;
  const one = host.kind === 'gitlab' ? `${comments}/${commentId}` : `issues/comments/${commentId}`;
  return {
    method: commentId === null ? 'POST' : host.kind === 'gitlab' ? 'PUT' : 'PATCH',
    url: `${repository}/${commentId === null ? comments : one}`,
    headers: headersOf(host.kind, token),
    body: { body: text },
  };
}

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

const repositoryUrlOf = ({ kind, apiUrl, repository }: GitHost): string =>
  kind === 'gitlab' ? `${apiUrl}/projects/${encodeURIComponent(repository)}` : `${apiUrl}/repos/${repository}`;

const headersOf = (kind: GitHostKind, token: string): Record<string, string> => ({
  'content-type': 'application/json',
  accept: kind === 'github' ? 'application/vnd.github+json' : 'application/json',
  'user-agent': 'Postern',
  ...(kind === 'gitlab'
    ? { 'private-token': token }
    : { authorization: `${kind === 'gitea' ? 'token' : 'Bearer'} ${token}` }),
});
