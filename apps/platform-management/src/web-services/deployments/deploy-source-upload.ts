import { deploySourceUpload, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServices } from '../services/web-services.projection.js';
import { StoredUploads } from '../source-uploads/stored-uploads.js';
import { Deployments } from './deployments.projection.js';

/** Queues a deployment of an uploaded archive, like one of a commit. */
@Handles(deploySourceUpload)
export class DeploySourceUpload {
  constructor(
    private readonly webServices: WebServiceRepository,
    private readonly deployments: Deployments,
    private readonly owners: WebServices,
    private readonly uploads: StoredUploads,
  ) {}

  async execute(request: RequestOf<typeof deploySourceUpload>): Promise<ReplyOf<typeof deploySourceUpload>> {
    const { web_service_id: webServiceId, upload_id: id, digest, size_bytes } = request;
    const deploymentId = uuidv7();
    const { userId } = await this.owners.requireOwner(request, webServiceId);
    await this.uploads.requireComplete(webServiceId, id, size_bytes);
    await this.webServices.execute(webServiceId, at => ({
      kind: 'request-deployment',
      userId,
      deploymentId,
      branch: undefined,
      clearCache: request.clear_cache,
      upload: { id, digest, size_bytes },
      at,
    }));
    return this.deployments.require(webServiceId, deploymentId);
  }
}
