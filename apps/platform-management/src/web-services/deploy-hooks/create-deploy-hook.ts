import { hash, randomBytes } from 'node:crypto';
import { createDeployHook, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { DeployHooks } from './deploy-hooks.js';

/** Creates the deploy hook of a web service and replaces an earlier one, which stops working. */
@Handles(createDeployHook)
export class CreateDeployHook {
  constructor(
    private readonly owners: WebServices,
    private readonly hooks: DeployHooks,
  ) {}

  async execute(request: RequestOf<typeof createDeployHook>): Promise<ReplyOf<typeof createDeployHook>> {
    const { web_service_id } = request;
    await this.owners.requireOwner(request, web_service_id);
    const token = `dh_live_${randomBytes(32).toString('base64url')}`;
    const secret = `dhsec_${randomBytes(32).toString('base64url')}`;
    const id = await this.hooks.put(web_service_id, hash('sha256', token), secret);
    return { id, url: `/hooks/deploy/${token}`, secret };
  }
}
