import { findDeployHook, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DeployHooks } from './deploy-hooks.js';
import { deployHookNotFound } from './refusals.js';

/** Returns the web service and workspace of a hook, so that the gateway can check a token before it reads the body. */
@Handles(findDeployHook)
export class FindDeployHook {
  constructor(private readonly hooks: DeployHooks) {}

  async execute({ token_hash }: RequestOf<typeof findDeployHook>): Promise<ReplyOf<typeof findDeployHook>> {
    const hook = await this.hooks.ownerOf(token_hash);
    if (!hook) throw deployHookNotFound();
    return { id: hook.id, web_service_id: hook.webServiceId, workspace_id: hook.workspaceId };
  }
}
