import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { DEPLOY_HOOK_HEADERS } from '@postern/contracts';
import type { GitHostKind } from '../commit-statuses/git-host.js';
import { type BitbucketPullRequestPayload, readBitbucketPullRequest } from '../previews/bitbucket-pull-request.js';
import {
  type PullRequestEvent,
  type PullRequestPayload,
  readMergeRequest,
  readPullRequest,
} from '../previews/pull-request-event.js';
import { type BitbucketPushPayload, readBitbucketPush } from './bitbucket-push.js';
import { type OtherEvent, type PushEvent, type PushPayload, readPush } from './push-event.js';

export type HookHeaders = { readonly [Name in (typeof DEPLOY_HOOK_HEADERS)[number]]?: string | undefined };

/** A parsed event of a Git host. */
export type GitEvent = PushEvent | PullRequestEvent | OtherEvent;

/** Whether a call has no header of a Git host; such calls come from scripts. */
export const isBareCall = (headers: HookHeaders): boolean => Object.values(headers).every(value => value === undefined);

/**
 * Whether one of the signatures is valid: HMAC-SHA256 of the body for GitHub, Gitea, Forgejo and Bitbucket, the secret itself
 * for GitLab. Compares in constant time.
 */
export function isSigned(headers: HookHeaders, body: Buffer, secret: string): boolean {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return [
    [headers['x-hub-signature-256'], `sha256=${signature}`],
    [headers['x-gitea-signature'], signature],
    [headers['x-forgejo-signature'], signature],
    [headers['x-gitlab-token'], secret],
    // GitHub and Gitea send this header with a SHA-1, which is not valid here.
    [headers['x-hub-signature'], `sha256=${signature}`],
  ].some(([given, expected]) => given !== undefined && isSame(given, expected!));
}

/** The API of the host that sent an event; undefined for a call without its headers. */
export function gitHostIn(headers: HookHeaders): GitHostKind | undefined {
  // Gitea and Forgejo send the headers of GitHub as well.
  if (headers['x-forgejo-event'] !== undefined || headers['x-gitea-event'] !== undefined) return 'gitea';
  if (headers['x-gitlab-event'] !== undefined) return 'gitlab';
  if (headers['x-github-event'] !== undefined) return 'github';
  const key = headers['x-event-key'] ?? '';
  if (/^(repo:push$|pullrequest:)/.test(key)) return 'bitbucket';
  return /^(repo:refs_changed$|pr:)/.test(key) ? 'bitbucket-data-center' : undefined;
}

/** Compares digests, which have a fixed length, so that timing does not reveal the length of the secret. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(sha256(given), sha256(expected));

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Parses an event whose signature is verified. @throws SyntaxError if the body is not a valid event. */
export function readEvent(headers: HookHeaders, contentType: string, body: Buffer): GitEvent {
  const name =
    headers['x-forgejo-event'] ??
    headers['x-gitea-event'] ??
    headers['x-github-event'] ??
    headers['x-gitlab-event'] ??
    headers['x-event-key'];
  if (name?.startsWith('pullrequest:') || name?.startsWith('pr:'))
    return readBitbucketPullRequest(name, payloadOf(contentType, body));
  switch (name) {
    case 'push':
    case 'Push Hook':
      return readPush(payloadOf(contentType, body));
    case 'repo:push':
    case 'repo:refs_changed':
      return readBitbucketPush(payloadOf(contentType, body));
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

/** GitHub can also send the JSON in the field `payload` of a form. */
function payloadOf(
  contentType: string,
  body: Buffer,
): PushPayload & PullRequestPayload & BitbucketPushPayload & BitbucketPullRequestPayload {
  const text = body.toString('utf8');
  const isForm = contentType.startsWith('application/x-www-form-urlencoded');
  const value: unknown = JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text);
  if (typeof value !== 'object' || value === null) throw new SyntaxError('the event is not an object');
  return value;
}
