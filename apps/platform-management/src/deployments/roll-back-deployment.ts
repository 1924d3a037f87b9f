import { Injectable } from '@nestjs/common';
import type { RequestOf, rollBackDeployment } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { WebServiceLedger, WebServiceSettings } from '../web-services/ports.js';

/** Queues a deployment that releases an earlier one's artefact with that one's configuration; nothing is built. */
@Injectable()
export class RollBackDeployment {
  constructor(
    private readonly ledger: WebServiceLedger,
    private readonly settings: WebServiceSettings,
  ) {}

  /** Answers the new deployment's id. */
  async execute(request: RequestOf<typeof rollBackDeployment>): Promise<string> {
    const deploymentId = uuidv7();
    await this.ledger.execute(request.web_service_id, at => ({
      kind: 'request-rollback',
      userId: request.user_id,
      deploymentId,
      rollbackOf: request.deployment_id,
      retained: this.settings.retainedReleases,
      at,
    }));
    return deploymentId;
  }
}
