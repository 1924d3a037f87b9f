import { createHash, randomUUID } from 'node:crypto';
import { Refusal, type ReplyOf, type RequestOf, receiveDeployHook } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { matchesPatterns } from '@postern/runtime';
import { v7 as uuidv7 } from 'uuid';
import { hashOfToken } from './create-deploy-hook.js';
import { type CalledHook, DeployHooks, type NewDelivery } from './deploy-hooks.js';
import { type GitEvent, isBareCall, isSigned, readEvent } from './push-event.js';
import { deployHookNotFound } from './refusals.js';

const MAX_CALLS_PER_MINUTE = 30;

type Request = RequestOf<typeof receiveDeployHook>;

/** Deploys the configured branch for a call without headers of a Git host, and for a signed push to that branch. */
@Handles(receiveDeployHook)
export class ReceiveDeployHook {
  constructor(private readonly hooks: DeployHooks) {}

  async execute({ token, ...request }: Request): Promise<ReplyOf<typeof receiveDeployHook>> {
    const hook = await this.hooks.byToken(hashOfToken(token));
    if (!hook) throw deployHookNotFound();
    const body = Buffer.from(request.body, 'base64');
    const isBare = isBareCall(request.headers);
    if (!isBare && !isSigned(request.headers, body, hook.secret)) {
      throw new Refusal('invalid_signature', 'the signature does not match the secret of the deploy hook');
    }
    const event = isBare ? undefined : eventOf(request, body);
    const digest = isBare ? randomUUID() : createHash('sha256').update(body).digest('hex');
    const delivery = { digest, ...decisionOn(event, hook) };
    const added = await this.hooks.add(hook.id, delivery, MAX_CALLS_PER_MINUTE);
    if (added === 'known') return { outcome: 'ignored', reason: 'this event was received before', deployment_id: null };
    if (added === 'too_many') {
      throw new Refusal('too_many_calls', `a deploy hook accepts ${MAX_CALLS_PER_MINUTE} calls per minute`);
    }
    const { outcome, reason, deploymentId } = delivery;
    if (deploymentId !== null) await this.hooks.deploy(hook, { ...delivery, deploymentId });
    return { outcome, reason, deployment_id: deploymentId };
  }
}

/** `event` is undefined for a call without headers of a Git host. */
const decisionOn = (event: GitEvent | undefined, hook: CalledHook): Omit<NewDelivery, 'digest'> => {
  const reason = event && ignoreReason(event, hook);
  if (reason !== undefined) return { outcome: 'ignored', reason, deploymentId: null };
  if (event && !hook.autoDeploy)
    return { outcome: 'recorded', reason: 'the web service does not deploy on push', deploymentId: null };
  return { outcome: 'deployed', reason: null, deploymentId: uuidv7() };
};

const eventOf = ({ headers, content_type }: Pick<Request, 'headers' | 'content_type'>, body: Buffer): GitEvent => {
  try {
    return readEvent(headers, content_type, body);
  } catch {
    throw new Refusal('invalid_event', 'the body is not a valid push event');
  }
};

/** The reason to ignore an event; undefined if it is a push to the deployed branch that changes a watched file. */
function ignoreReason(event: GitEvent, { branch, watchPaths }: CalledHook): string | undefined {
  if (event.kind === 'other') return event.reason;
  const wanted = branch ?? event.defaultBranch;
  if (wanted !== undefined && event.branch !== wanted)
    return `the push is to ${event.branch.slice(0, 255)}, and ${wanted} is deployed`;
  const isWatched = (path: string) => matchesPatterns(watchPaths, path);
  if (watchPaths.length === 0 || event.paths === undefined || event.paths.some(isWatched)) return undefined;
  return 'the push changes no file that matches watch_paths';
}
