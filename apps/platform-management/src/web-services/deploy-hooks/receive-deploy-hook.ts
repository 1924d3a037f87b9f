import { hash, randomUUID } from 'node:crypto';
import { Refusal, type ReplyOf, type RequestOf, receiveDeployHook } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DeployHooks } from './deploy-hooks.js';
import { type GitEvent, gitHostIn, isBareCall, isSigned, readEvent } from './git-event.js';
import { HookCalls, MAX_CALLS_PER_MINUTE } from './hook-calls.js';
import { deployHookNotFound } from './refusals.js';

type Request = RequestOf<typeof receiveDeployHook>;

/**
 * Deploys the configured branch for a call without headers of a Git host, and for a signed push to that branch. Creates,
 * deploys and deletes previews for signed events of pull and merge requests.
 */
@Handles(receiveDeployHook)
export class ReceiveDeployHook {
  constructor(
    private readonly hooks: DeployHooks,
    private readonly calls: HookCalls,
  ) {}

  async execute({ token, ...request }: Request): Promise<ReplyOf<typeof receiveDeployHook>> {
    const hook = await this.hooks.hookOf(hash('sha256', token));
    if (!hook) throw deployHookNotFound();
    const body = Buffer.from(request.body, 'base64');
    const isBare = isBareCall(request.headers);
    if (!isBare && !isSigned(request.headers, body, hook.secret)) {
      throw new Refusal('invalid_signature', 'the signature does not match the secret of the deploy hook');
    }
    const event = isBare ? undefined : eventOf(request, body);
    const digest = isBare ? randomUUID() : hash('sha256', body);
    const decision = await this.calls.receive(hook, { digest, event, gitHost: gitHostIn(request.headers) });
    if (decision === 'known')
      return { outcome: 'ignored', reason: 'this event was received before', deployment_id: null };
    if (decision === 'too_many') {
      throw new Refusal('too_many_calls', `a deploy hook accepts ${MAX_CALLS_PER_MINUTE} calls per minute`);
    }
    const { outcome, reason, deploymentId } = decision;
    return { outcome, reason, deployment_id: deploymentId };
  }
}

const eventOf = ({ headers, content_type }: Pick<Request, 'headers' | 'content_type'>, body: Buffer): GitEvent => {
  try {
    return readEvent(headers, content_type, body);
  } catch {
    throw new Refusal('invalid_event', 'the body is not a valid event of a push or a pull request');
  }
};
