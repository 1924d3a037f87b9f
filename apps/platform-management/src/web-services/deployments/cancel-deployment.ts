import { cancelDeployment, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServices } from '../services/web-services.projection.js';
import { Deployments } from './deployments.projection.js';

/** Cancels a deployment. An active one becomes `cancelled` once the reconciler has stopped its work. */
@Handles(cancelDeployment)
export class CancelDeployment {
  constructor(
    private readonly webServices: WebServiceRepository,
    private readonly deployments: Deployments,
    private readonly owners: WebServices,
  ) {}

  async execute(request: RequestOf<typeof cancelDeployment>): Promise<ReplyOf<typeof cancelDeployment>> {
    const { userId } = await this.owners.requireOwner(request, request.web_service_id);
    await this.webServices.execute(request.web_service_id, at => ({
      kind: 'cancel-deployment',
      userId,
      deploymentId: request.deployment_id,
      at,
    }));
    return this.deployments.require(request.web_service_id, request.deployment_id);
  }
}
