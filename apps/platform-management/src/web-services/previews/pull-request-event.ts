import { branchName } from '../services/source/branch-name.js';
import { skipMarkerIn } from '../services/source/skip-marker.js';

/** What happened to a pull or merge request. `update` means that its branch has new commits. */
export type PullRequestAction = 'open' | 'update' | 'reopen' | 'close';

/** An event of a pull or merge request. */
export interface PullRequestEvent {
  readonly kind: 'pull-request';
  readonly action: PullRequestAction;
  readonly number: number;
  /** The branch with the changes, and the one that they are proposed for. */
  readonly headBranch: string;
  readonly baseBranch: string;
  readonly defaultBranch: string | undefined;
  /** Whether the branch with the changes is in another repository. */
  readonly isFork: boolean;
  /** When the Git host last changed the request; undefined if the event does not say. */
  readonly changedAt: Date | undefined;
  /** The page of the request. */
  readonly url: string | undefined;
  /** The beginning of the newest commit's id, if the event also stands for changes without commits. */
  readonly headCommit?: string;
}

interface Ignored {
  readonly kind: 'other';
  readonly reason: string;
}

/** The longest URL of a page that is stored. */
const LONGEST_URL = 2_048;
const LARGEST_NUMBER = 2 ** 31 - 1;

const GITHUB_ACTIONS: Readonly<Record<string, PullRequestAction>> = {
  opened: 'open',
  synchronize: 'update',
  // Gitea and Forgejo use the same payload with another word.
  synchronized: 'update',
  reopened: 'reopen',
  closed: 'close',
};

const GITLAB_ACTIONS: Readonly<Record<string, PullRequestAction>> = {
  open: 'open',
  update: 'update',
  reopen: 'reopen',
  close: 'close',
  merge: 'close',
};

/** The parts of both payloads that matter; their types are not known. */
export interface PullRequestPayload {
  readonly action?: unknown;
  readonly pull_request?: {
    readonly number?: unknown;
    readonly title?: unknown;
    readonly state?: unknown;
    readonly html_url?: unknown;
    readonly updated_at?: unknown;
    readonly head?: Side | null;
    readonly base?: Side | null;
  } | null;
  readonly repository?: Repository | null;
  readonly project?: Repository | null;
  readonly object_attributes?: {
    readonly iid?: unknown;
    readonly action?: unknown;
    readonly title?: unknown;
    readonly state?: unknown;
    readonly url?: unknown;
    readonly updated_at?: unknown;
    /** The previous commit of the branch; absent if the update brings no commits. */
    readonly oldrev?: unknown;
    readonly source_branch?: unknown;
    readonly target_branch?: unknown;
    readonly source_project_id?: unknown;
    readonly target_project_id?: unknown;
    readonly last_commit?: { readonly message?: unknown } | null;
  } | null;
}

interface Repository {
  readonly id?: unknown;
  readonly default_branch?: unknown;
}

interface Side {
  readonly ref?: unknown;
  /** Null if the repository was deleted. */
  readonly repo?: Repository | null;
}

/** Parses an event of GitHub, Gitea or Forgejo. @throws SyntaxError if a needed field is missing or invalid. */
export function readPullRequest({ action, pull_request: request, repository }: PullRequestPayload): ParsedEvent {
  const known = knownAction(GITHUB_ACTIONS, action);
  if (known === undefined) return ignored(`pull requests are not previewed for the action ${shortened(action)}`);
  const { number, title, state, html_url, updated_at, head, base } = request ?? {};
  return parsedRequest({
    action: known,
    number,
    state,
    messages: [title],
    headBranch: head?.ref,
    baseBranch: base?.ref,
    repositories: [head?.repo?.id, base?.repo?.id ?? repository?.id],
    defaultBranch: repository?.default_branch,
    changedAt: updated_at,
    url: html_url,
  });
}

/** Parses an event of GitLab. @throws SyntaxError if a needed field is missing or invalid. */
export function readMergeRequest({ object_attributes: request, project }: PullRequestPayload): ParsedEvent {
  const { iid, action, oldrev, title, state, url, updated_at, last_commit } = request ?? {};
  const known = knownAction(GITLAB_ACTIONS, action);
  if (known === undefined) return ignored(`merge requests are not previewed for the action ${shortened(action)}`);
  if (known === 'update' && oldrev === undefined) return ignored('the update of the merge request brings no commits');
  return parsedRequest({
    action: known,
    number: iid,
    state,
    messages: [title, last_commit?.message],
    headBranch: request?.source_branch,
    baseBranch: request?.target_branch,
    repositories: [request?.source_project_id, request?.target_project_id],
    defaultBranch: project?.default_branch,
    changedAt: updated_at,
    url,
  });
}

export type ParsedEvent = PullRequestEvent | Ignored;

/** The fields of a request at any Git host; their types are not known. */
export interface RequestFields {
  readonly action: PullRequestAction;
  readonly number: unknown;
  readonly state: unknown;
  /** Texts that may contain a marker to skip the event. */
  readonly messages: readonly unknown[];
  readonly headBranch: unknown;
  readonly baseBranch: unknown;
  /** Ids of the repositories of the head and the base. */
  readonly repositories: readonly [unknown, unknown];
  readonly defaultBranch: unknown;
  /** A text, or milliseconds since 1970. */
  readonly changedAt: unknown;
  readonly url: unknown;
  readonly headCommit?: unknown;
}

/** Checks the fields of a request. @throws SyntaxError if a needed one is missing or invalid. */
export function parsedRequest(request: RequestFields): ParsedEvent {
  const { action, number, state, messages, repositories, headCommit, ...fields } = request;
  const [head, base] = repositories;
  if (!Number.isInteger(number) || Number(number) < 1 || Number(number) > LARGEST_NUMBER)
    throw new SyntaxError('the request has no number');
  if (action !== 'close') {
    if (state === 'closed' || state === 'merged') return ignored(`pull request ${number} is closed`);
    const marker = messages.map(skipMarkerIn).find(each => each !== undefined);
    if (marker !== undefined) return ignored(`pull request ${number} or its newest commit contains ${marker}`);
  }
  // The branch of a closed request may be deleted; its preview is deleted without it.
  const nameOf = action === 'close' ? String : branch;
  return {
    kind: 'pull-request',
    action,
    number: Number(number),
    headBranch: nameOf(fields.headBranch),
    baseBranch: nameOf(fields.baseBranch),
    defaultBranch: typeof fields.defaultBranch === 'string' ? fields.defaultBranch : undefined,
    // An unknown repository, such as a deleted one, is another one.
    isFork: head === undefined || head === null || head !== base,
    changedAt: timeIn(fields.changedAt),
    url: webPage(fields.url),
    ...(typeof headCommit === 'string' && /^[0-9a-f]{7,64}$/.test(headCommit) && { headCommit }),
  };
}

export const knownAction = (known: Readonly<Record<string, PullRequestAction>>, action: unknown) =>
  typeof action === 'string' && Object.hasOwn(known, action) ? known[action] : undefined;

export const ignored = (reason: string): Ignored => ({ kind: 'other', reason });

export const shortened = (text: unknown): string => String(text ?? 'without a name').slice(0, 50);

const branch = (name: unknown): string => {
  if (typeof name !== 'string') throw new SyntaxError('the request has no branch');
  return branchName(name);
};

const timeIn = (value: unknown): Date | undefined => {
  const time = typeof value === 'string' || typeof value === 'number' ? new Date(value) : undefined;
  return time && time.getTime() >= 0 ? time : undefined;
};

/** Only an address that a browser opens as a page. */
const webPage = (text: unknown): string | undefined =>
  typeof text === 'string' && text.length <= LONGEST_URL && /^https?:\/\//.test(text) && URL.canParse(text)
    ? text
    : undefined;
