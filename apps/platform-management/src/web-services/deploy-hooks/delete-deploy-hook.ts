import { deleteDeployHook, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { DeployHooks } from './deploy-hooks.js';
import { deployHookNotFound } from './refusals.js';

/** Deletes the deploy hook of a web service; its URL stops working at once. */
@Handles(deleteDeployHook)
export class DeleteDeployHook {
  constructor(
    private readonly owners: WebServices,
    private readonly hooks: DeployHooks,
  ) {}

  async execute(request: RequestOf<typeof deleteDeployHook>): Promise<ReplyOf<typeof deleteDeployHook>> {
    const id = request.web_service_id;
    await this.owners.requireOwner(request, id);
    if (!(await this.hooks.remove(id))) throw deployHookNotFound();
    return { id, deleted: true };
  }
}
