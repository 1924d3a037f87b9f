import { skipMarkerIn } from '../services/source/skip-marker.js';

/** A push to branches. Only Bitbucket sends one event for several. */
export interface PushEvent {
  readonly kind: 'push';
  readonly branches: readonly string[];
  readonly defaultBranch: string | undefined;
  /** The changed files; undefined if the event may not list all of them. */
  readonly paths: readonly string[] | undefined;
}

export interface OtherEvent {
  readonly kind: 'other';
  readonly reason: string;
}

/** Parses a push at GitHub, GitLab, Gitea or Forgejo. */
export function readPush(payload: PushPayload): PushEvent | OtherEvent {
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
    branches: [ref.slice('refs/heads/'.length)],
    defaultBranch: typeof defaultBranch === 'string' ? defaultBranch : undefined,
    paths: changedPaths(payload),
  };
}

/** Git hosts list at most this many commits. */
const MOST_COMMITS = 2_048;

/** A forced push, a new branch and a push with more commits than the event lists can change other files as well. */
const changedPaths = (payload: PushPayload): readonly string[] | undefined => {
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
const newestCommitIn = ({ head_commit: head, commits, after }: PushPayload): PushedCommit | null | undefined => {
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

/** The parts of the payloads that matter; their types are not known. */
export interface PushPayload {
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
