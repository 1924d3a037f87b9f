import { getDeployHook, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { DeployHooks } from './deploy-hooks.js';
import { deployHookNotFound } from './refusals.js';

/** Returns the deploy hook of a web service with its last calls, without its URL and secret. */
@Handles(getDeployHook)
export class GetDeployHook {
  constructor(
    private readonly owners: WebServices,
    private readonly hooks: DeployHooks,
  ) {}

  async execute(request: RequestOf<typeof getDeployHook>): Promise<ReplyOf<typeof getDeployHook>> {
    await this.owners.requireOwner(request, request.web_service_id);
    const hook = await this.hooks.of(request.web_service_id);
    if (!hook) throw deployHookNotFound();
    const deliveries = await this.hooks.deliveriesOf(hook.id);
    return {
      id: hook.id,
      created_at: hook.createdAt.toISOString(),
      deliveries: deliveries.map(({ at, outcome, reason, deploymentId }) => ({
        at: at.toISOString(),
        outcome,
        reason,
        deployment_id: deploymentId,
      })),
    };
  }
}
