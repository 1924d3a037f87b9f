import { Injectable } from '@nestjs/common';
import { OPERATIONS, type ReplyOf, type ServiceName } from '@postern/contracts';
import { RemoteFault, RequestClient, ServiceUnavailable } from '@postern/messaging';
import { ErasureSteps } from './ports.js';

type Step = Parameters<ErasureSteps['run']>[1];
type Reply = ReplyOf<(typeof OPERATIONS)[ServiceName]['eraseRecipientStep']>;

const WHY: Readonly<Record<ServiceUnavailable['reason'], string>> = {
  timeout: 'did not answer in time',
  no_responders: 'is not running, is not connected to NATS, or is of a release without this request',
  disconnected: 'cannot be reached: email-send has lost its connection to NATS',
  busy: 'is too busy to answer',
  closed: 'cannot be reached: email-send is stopping',
  expired: 'did not begin in time',
  unavailable: 'waits for its database',
};

/** Sends the steps to the services over NATS, including this one. */
@Injectable()
export class NatsErasureSteps extends ErasureSteps {
  constructor(private readonly requests: RequestClient) {
    super();
  }

  async run(service: ServiceName, step: Step): Promise<Reply> {
    try {
      return await this.requests.request(OPERATIONS[service].eraseRecipientStep, step);
    } catch (error) {
      if (error instanceof ServiceUnavailable) throw new Error(`${service} ${WHY[error.reason]}`);
      if (error instanceof RemoteFault)
        throw new Error(`${service} could not run the step; see its log: ${error.message}`);
      throw error;
    }
  }
}
