import { skipMarkerIn } from '../services/source/skip-marker.js';
import type { OtherEvent, PushEvent } from './push-event.js';

/** The parts of the payloads of Bitbucket Cloud and Data Center that matter; their types are not known. */
export interface BitbucketPushPayload {
  readonly push?: { readonly changes?: unknown } | null;
  readonly changes?: unknown;
  /** The newest commit, which older versions of Data Center do not send. */
  readonly toCommit?: { readonly id?: unknown; readonly message?: unknown } | null;
  readonly repository?: { readonly mainbranch?: { readonly name?: unknown } | null } | null;
}

interface CloudChange {
  readonly old?: { readonly type?: unknown } | null;
  /** Null if the branch or tag was deleted. */
  readonly new?: {
    readonly type?: unknown;
    readonly name?: unknown;
    readonly target?: { readonly message?: unknown } | null;
  } | null;
}

interface DataCenterChange {
  readonly ref?: { readonly type?: unknown } | null;
  readonly refId?: unknown;
  readonly toHash?: unknown;
  readonly type?: unknown;
}

interface BranchChange {
  readonly branch: string | undefined;
  readonly isDeleted: boolean;
  /** The message of the newest commit. */
  readonly message: unknown;
}

/** Parses a push, which may change several branches and never lists files. @throws SyntaxError without changes. */
export function readBitbucketPush(payload: BitbucketPushPayload): PushEvent | OtherEvent {
  const { push, changes, repository } = payload;
  const isCloud = push !== undefined && push !== null;
  const list: unknown = isCloud ? push.changes : changes;
  if (!Array.isArray(list)) throw new SyntaxError('the push has no changes');
  const ofBranches = (list as readonly (CloudChange & DataCenterChange)[])
    .map(change => (isCloud ? cloudChange(change) : dataCenterChange(change, payload)))
    .filter(change => change !== undefined);
  const pushed = ofBranches.filter(({ isDeleted }) => !isDeleted);
  if (pushed.length === 0) {
    return { kind: 'other', reason: `the push ${ofBranches.length > 0 ? 'deletes the branch' : 'is not to a branch'}` };
  }
  const marker = skipMarkerIn(pushed[0]?.message);
  const branches = pushed.flatMap(({ branch = '', message }) => (skipMarkerIn(message) === undefined ? [branch] : []));
  if (branches.length === 0) return { kind: 'other', reason: `the message of the newest commit contains ${marker}` };
  const defaultBranch = repository?.mainbranch?.name;
  return {
    kind: 'push',
    branches,
    defaultBranch: typeof defaultBranch === 'string' ? defaultBranch : undefined,
    paths: undefined,
  };
}

/** Undefined for a tag. */
const cloudChange = (change: CloudChange | null): BranchChange | undefined => {
  const { old: before, new: after } = change ?? {};
  if ((after ?? before)?.type !== 'branch') return undefined;
  if (after === null || after === undefined) return { branch: undefined, isDeleted: true, message: undefined };
  return { branch: String(after.name), isDeleted: false, message: after.target?.message };
};

const dataCenterChange = (
  change: DataCenterChange | null,
  { toCommit }: BitbucketPushPayload,
): BranchChange | undefined => {
  const { ref, refId, toHash, type } = change ?? {};
  if (ref?.type !== 'BRANCH' || typeof refId !== 'string') return undefined;
  const message = toCommit?.id === toHash ? toCommit?.message : undefined;
  return { branch: refId.replace(/^refs\/heads\//, ''), isDeleted: type === 'DELETE', message };
};
