import { Controller } from '@nestjs/common';
import {
  cancelDeployment,
  createDeployment,
  getDeployment,
  listDeployments,
  type ReplyOf,
  type RequestOf,
  rollBackDeployment,
} from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { WebServices } from '../web-services/web-services.projection.js';
import { CancelDeployment } from './cancel-deployment.js';
import { CreateDeployment } from './create-deployment.js';
import { RollBackDeployment } from './roll-back-deployment.js';

/** Deployments of a web service. */
@Controller()
export class DeploymentsController {
  constructor(
    private readonly services: WebServices,
    private readonly creating: CreateDeployment,
    private readonly rollingBack: RollBackDeployment,
    private readonly cancelling: CancelDeployment,
  ) {}

  @HandlesRequest(listDeployments)
  list(request: RequestOf<typeof listDeployments>): Promise<ReplyOf<typeof listDeployments>> {
    return this.services.deployments(request.web_service_id, request.user_id, request);
  }

  @HandlesRequest(createDeployment)
  async create(request: RequestOf<typeof createDeployment>): Promise<ReplyOf<typeof createDeployment>> {
    return this.services.deployment(request.web_service_id, await this.creating.execute(request));
  }

  @HandlesRequest(getDeployment)
  async get(request: RequestOf<typeof getDeployment>): Promise<ReplyOf<typeof getDeployment>> {
    await this.services.get(request.web_service_id, request.user_id);
    return this.services.deployment(request.web_service_id, request.deployment_id);
  }

  @HandlesRequest(rollBackDeployment)
  async rollBack(request: RequestOf<typeof rollBackDeployment>): Promise<ReplyOf<typeof rollBackDeployment>> {
    return this.services.deployment(request.web_service_id, await this.rollingBack.execute(request));
  }

  @HandlesRequest(cancelDeployment)
  async cancel(request: RequestOf<typeof cancelDeployment>): Promise<ReplyOf<typeof cancelDeployment>> {
    await this.cancelling.execute(request);
    return this.services.deployment(request.web_service_id, request.deployment_id);
  }
}
