import { Injectable } from '@nestjs/common';
import type { createDeployment, RequestOf } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { WebServiceLedger } from '../web-services/ports.js';
import { branchName } from '../web-services/source/branch-name.js';

/** Queues a deployment, in the place of any that is queued; the driver begins it when nothing else is under way. */
@Injectable()
export class CreateDeployment {
  constructor(private readonly ledger: WebServiceLedger) {}

  /** Answers the new deployment's id. */
  async execute(request: RequestOf<typeof createDeployment>): Promise<string> {
    const deploymentId = uuidv7();
    const branch = request.branch === undefined ? undefined : branchName(request.branch);
    await this.ledger.execute(request.web_service_id, at => ({
      kind: 'request-deployment',
      userId: request.user_id,
      deploymentId,
      branch,
      at,
    }));
    return deploymentId;
  }
}
