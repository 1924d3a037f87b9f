import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { DEPLOY_HOOK_HEADERS } from '@postern/contracts';
import type { GitHostKind } from '../commit-statuses/git-host.js';
import {
  type PullRequestEvent,
  type PullRequestPayload,
  readMergeRequest,
  readPullRequest,
} from '../previews/pull-request-event.js';
import { skipMarkerIn } from '../services/source/skip-marker.js';

export type HookHeaders = { readonly [Name in (typeof DEPLOY_HOOK_HEADERS)[number]]?: string | undefined };

/** A push to a branch. */
export interface PushEvent {
  readonly kind: 'push';
  readonly branch: string;
  readonly defaultBranch: string | undefined;
  /** The changed files; undefined if the event may not list all of them. */
  readonly paths: readonly string[] | undefined;
}

/** A parsed event of a Git host. */
export type GitEvent = PushEvent | PullRequestEvent | { readonly kind: 'other'; readonly reason: string };

/** Whether a call has no header of a Git host; such calls come from scripts. */
export const isBareCall = (headers: HookHeaders): boolean => Object.values(headers).every(value => value === undefined);

/**
 * Whether one of the signatures is valid: HMAC-SHA256 of the body for GitHub, Gitea and Forgejo, the secret itself for
 * GitLab. Compares in constant time.
 */
export function isSigned(headers: HookHeaders, body: Buffer, secret: string): boolean {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return [
    [headers['x-hub-signature-256'], `sha256=${signature}`],
    [headers['x-gitea-signature'], signature],
    [headers['x-forgejo-signature'], signature],
    [headers['x-gitlab-token'], secret],
  ].some(([given, expected]) => given !== undefined && isSame(given, expected!));
}

/** The API of the host that sent an event; undefined for a call without its headers. */
export function gitHostIn(headers: HookHeaders): GitHostKind | undefined {
  // Gitea and Forgejo send the headers of GitHub as well.
  if (headers['x-forgejo-event'] !== undefined || headers['x-gitea-event'] !== undefined) return 'gitea';
  if (headers['x-gitlab-event'] !== undefined) return 'gitlab';
  return headers['x-github-event'] === undefined ? undefined : 'github';
}

/** Compares digests, which have a fixed length, so that timing does not reveal the length of the secret. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(sha256(given), sha256(expected));

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Parses an event whose signature is verified. @throws SyntaxError if the body is not a valid event. */
export function readEvent(headers: HookHeaders, contentType: string, body: Buffer): GitEvent {
  const name =
    headers['x-forgejo-event'] ?? headers['x-gitea-event'] ?? headers['x-github-event'] ?? headers['x-gitlab-event'];
  switch (name) {
    case 'push':
    case 'Push Hook':
      return readPush(payloadOf(contentType, body));
    case 'pull_request':
    case 'pull_request_sync':
      return readPullRequest(payloadOf(contentType, body));
    case 'Merge Request Hook':
      return readMergeRequest(payloadOf(contentType, body));
    default:
      return {
        kind: 'other',
        reason: `the event ${(name ?? 'without a name').slice(0, 50)} is neither a push nor a pull request`,
      };
  }
}

function readPush(payload: Payload): GitEvent {
  const { ref, deleted, after, repository, project } = payload;
  if (typeof ref !== 'string' || !ref.startsWith('refs/heads/')) {
    return { kind: 'other', reason: 'the push is not to a branch' };
  }
  if (deleted === true || /^0+$/.test(String(after ?? '1'))) {
    return { kind: 'other', reason: 'the push deletes the branch' };
  }
  const marker = skipMarkerIn(newestCommitIn(payload)?.message);
  if (marker !== undefined) return { kind: 'other', reason: `the message of the newest commit contains ${marker}` };
  const defaultBranch = project?.default_branch ?? repository?.default_branch;
  return {
    kind: 'push',
    branch: ref.slice('refs/heads/'.length),
    defaultBranch: typeof defaultBranch === 'string' ? defaultBranch : undefined,
    paths: changedPaths(payload),
  };
}

/** Git hosts list at most this many commits. */
const MOST_COMMITS = 2_048;

/** A forced push, a new branch and a push with more commits than the event lists can change other files as well. */
const changedPaths = (payload: Payload): readonly string[] | undefined => {
  const { commits, before, created, forced, total_commits_count, total_commits } = payload;
  if (!Array.isArray(commits) || commits.length === 0 || commits.length >= MOST_COMMITS) return undefined;
  if (created === true || forced === true || /^0+$/.test(String(before ?? ''))) return undefined;
  if (Number(total_commits_count ?? total_commits ?? 0) > commits.length) return undefined;
  const paths = new Set<string>();
  for (const commit of commits as readonly (PushedCommit | null | undefined)[])
    for (const list of [commit?.added, commit?.removed, commit?.modified]) {
      if (!Array.isArray(list)) return undefined;
      for (const path of list) paths.add(String(path));
    }
  return [...paths];
};

/** Only the newest commit counts, as at the Git hosts: it decides whether the state of the branch is deployed. */
const newestCommitIn = ({ head_commit: head, commits, after }: Payload): PushedCommit | null | undefined => {
  const all: readonly (PushedCommit | null | undefined)[] = Array.isArray(commits) ? commits : [];
  return head ?? all.find(commit => commit?.id === after) ?? all.at(-1);
};

interface PushedCommit {
  readonly id?: unknown;
  readonly message?: unknown;
  readonly added?: unknown;
  readonly removed?: unknown;
  readonly modified?: unknown;
}

interface Payload {
  readonly head_commit?: PushedCommit | null;
  readonly commits?: unknown;
  /** The number of commits at GitLab, and at Gitea and Forgejo. */
  readonly total_commits_count?: unknown;
  readonly total_commits?: unknown;
  readonly before?: unknown;
  readonly created?: unknown;
  readonly forced?: unknown;
  readonly ref?: unknown;
  readonly deleted?: unknown;
  readonly after?: unknown;
  readonly repository?: { readonly default_branch?: unknown } | null;
  readonly project?: { readonly default_branch?: unknown } | null;
}

/** GitHub can also send the JSON in the field `payload` of a form. */
function payloadOf(contentType: string, body: Buffer): Payload & PullRequestPayload {
  const text = body.toString('utf8');
  const isForm = contentType.startsWith('application/x-www-form-urlencoded');
  const value: unknown = JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text);
  if (typeof value !== 'object' || value === null) throw new SyntaxError('the event is not an object');
  return value;
}
