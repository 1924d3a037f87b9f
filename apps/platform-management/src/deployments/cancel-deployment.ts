import { Injectable } from '@nestjs/common';
import type { cancelDeployment, RequestOf } from '@postern/contracts';
import { WebServiceLedger } from '../web-services/ports.js';

/** Ends a deployment; one under way is `cancelled` when the driver has seen that nothing of it runs any more. */
@Injectable()
export class CancelDeployment {
  constructor(private readonly ledger: WebServiceLedger) {}

  async execute(request: RequestOf<typeof cancelDeployment>): Promise<void> {
    await this.ledger.execute(request.web_service_id, at => ({
      kind: 'cancel-deployment',
      userId: request.user_id,
      deploymentId: request.deployment_id,
      at,
    }));
  }
}
