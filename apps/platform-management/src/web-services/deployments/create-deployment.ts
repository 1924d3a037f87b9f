import { createDeployment, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { branchName } from '../services/source/branch-name.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServices } from '../services/web-services.projection.js';
import { Deployments } from './deployments.projection.js';

/** Queues a deployment, which supersedes a queued one. The reconciler starts it when no other deployment is active. */
@Handles(createDeployment)
export class CreateDeployment {
  constructor(
    private readonly webServices: WebServiceRepository,
    private readonly deployments: Deployments,
    private readonly owners: WebServices,
  ) {}

  async execute(request: RequestOf<typeof createDeployment>): Promise<ReplyOf<typeof createDeployment>> {
    const deploymentId = uuidv7();
    const branch = request.branch == null ? undefined : branchName(request.branch);
    const uploadOf = request.upload_of ?? undefined;
    if (branch !== undefined && uploadOf !== undefined)
      throw new Refusal('invalid_input', 'upload_of: cannot be combined with branch');
    const { userId } = await this.owners.requireOwner(request, request.web_service_id);
    await this.webServices.execute(request.web_service_id, at => ({
      kind: 'request-deployment',
      userId,
      deploymentId,
      branch,
      clearCache: request.clear_cache,
      uploadOf,
      at,
    }));
    return this.deployments.require(request.web_service_id, deploymentId);
  }
}
