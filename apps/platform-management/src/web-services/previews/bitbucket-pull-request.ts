import {
  ignored,
  knownAction,
  type ParsedEvent,
  type PullRequestAction,
  parsedRequest,
  shortened,
} from './pull-request-event.js';

/** `updated` also stands for an edited title or description. */
const CLOUD_ACTIONS: Readonly<Record<string, PullRequestAction>> = {
  created: 'open',
  updated: 'update',
  fulfilled: 'close',
  rejected: 'close',
};

/** Not all versions send an event for a reopened request, so new commits also stand for it. */
const DATA_CENTER_ACTIONS: Readonly<Record<string, PullRequestAction>> = {
  opened: 'open',
  from_ref_updated: 'reopen',
  reopened: 'reopen',
  merged: 'close',
  declined: 'close',
  deleted: 'close',
};

/** The parts of both payloads that matter; their types are not known. */
export interface BitbucketPullRequestPayload {
  readonly pullrequest?: {
    readonly id?: unknown;
    readonly title?: unknown;
    readonly state?: unknown;
    readonly updated_on?: unknown;
    readonly links?: { readonly html?: { readonly href?: unknown } | null } | null;
    readonly source?: CloudSide | null;
    readonly destination?: CloudSide | null;
  } | null;
  readonly pullRequest?: {
    readonly id?: unknown;
    readonly title?: unknown;
    readonly state?: unknown;
    readonly updatedDate?: unknown;
    readonly links?: { readonly self?: readonly ({ readonly href?: unknown } | null)[] | null } | null;
    readonly fromRef?: DataCenterSide | null;
    readonly toRef?: DataCenterSide | null;
  } | null;
}

interface CloudSide {
  readonly branch?: { readonly name?: unknown } | null;
  readonly commit?: { readonly hash?: unknown } | null;
  /** Null if the repository was deleted. */
  readonly repository?: { readonly uuid?: unknown } | null;
}

interface DataCenterSide {
  /** The full name of the branch, which begins with `refs/heads/`. */
  readonly id?: unknown;
  readonly repository?: { readonly id?: unknown } | null;
}

/**
 * Parses an event of Bitbucket Cloud or Data Center.
 * @param key the name of the event, such as `pullrequest:created` or `pr:opened`.
 * @throws SyntaxError if a needed field is missing or invalid.
 */
export function readBitbucketPullRequest(key: string, payload: BitbucketPullRequestPayload): ParsedEvent {
  const [product, name] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)];
  const isCloud = product === 'pullrequest';
  const action = knownAction(isCloud ? CLOUD_ACTIONS : DATA_CENTER_ACTIONS, name);
  if (action === undefined) return ignored(`pull requests are not previewed for the event ${shortened(key)}`);
  return isCloud ? readCloud(action, payload) : readDataCenter(action, payload);
}

const readCloud = (action: PullRequestAction, { pullrequest }: BitbucketPullRequestPayload): ParsedEvent => {
  const { id, title, state, updated_on, links, source, destination } = pullrequest ?? {};
  return parsedRequest({
    action,
    number: id,
    state: stateOf(state),
    messages: [title],
    headBranch: source?.branch?.name,
    baseBranch: destination?.branch?.name,
    repositories: [source?.repository?.uuid, destination?.repository?.uuid],
    defaultBranch: undefined,
    changedAt: updated_on,
    url: links?.html?.href,
    headCommit: action === 'update' ? source?.commit?.hash : undefined,
  });
};

const readDataCenter = (action: PullRequestAction, { pullRequest }: BitbucketPullRequestPayload): ParsedEvent => {
  const { id, title, state, updatedDate, links, fromRef, toRef } = pullRequest ?? {};
  return parsedRequest({
    action,
    number: id,
    state: stateOf(state),
    messages: [title],
    headBranch: branchIn(fromRef?.id),
    baseBranch: branchIn(toRef?.id),
    repositories: [fromRef?.repository?.id, toRef?.repository?.id],
    defaultBranch: undefined,
    changedAt: updatedDate,
    url: Array.isArray(links?.self) ? links.self[0]?.href : undefined,
  });
};

/** All other states, such as `DECLINED` and `SUPERSEDED`, are final. */
const stateOf = (state: unknown): 'closed' | 'open' => (state === 'OPEN' ? 'open' : 'closed');

const branchIn = (ref: unknown): unknown => (typeof ref === 'string' ? ref.replace(/^refs\/heads\//, '') : ref);
