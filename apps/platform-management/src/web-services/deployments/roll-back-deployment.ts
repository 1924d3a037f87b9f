import { type ReplyOf, type RequestOf, rollBackDeployment } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { WebServiceSettings } from '../services/ports.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServices } from '../services/web-services.projection.js';
import { Deployments } from './deployments.projection.js';

/** Queues a deployment that releases the artefact and configuration of an earlier one, without a build. */
@Handles(rollBackDeployment)
export class RollBackDeployment {
  constructor(
    private readonly webServices: WebServiceRepository,
    private readonly settings: WebServiceSettings,
    private readonly deployments: Deployments,
    private readonly owners: WebServices,
  ) {}

  async execute(request: RequestOf<typeof rollBackDeployment>): Promise<ReplyOf<typeof rollBackDeployment>> {
    const deploymentId = uuidv7();
    const { userId } = await this.owners.requireOwner(request, request.web_service_id);
    await this.webServices.execute(request.web_service_id, at => ({
      kind: 'request-rollback',
      userId,
      deploymentId,
      rollbackOf: request.deployment_id,
      retained: this.settings.retainedReleases,
      at,
    }));
    return this.deployments.require(request.web_service_id, deploymentId);
  }
}
