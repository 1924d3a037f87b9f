import { Injectable } from '@nestjs/common';
import { type moderateWebService, Refusal, type RequestOf } from '@postern/contracts';
import { AccountDirectory } from '../accounts/ports.js';
import { WebServiceLedger } from '../web-services/ports.js';

/** An operator blocks or suspends any service, which ends all that runs and is deployed of it, or lifts that again. */
@Injectable()
export class ModerateWebService {
  constructor(
    private readonly ledger: WebServiceLedger,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute(request: RequestOf<typeof moderateWebService>): Promise<void> {
    const { actor_id: actorId, web_service_id: id, action, reason } = request;
    const actor = await this.accounts.find(actorId);
    if (!actor?.operator) throw new Refusal('not_an_operator', 'only an operator may moderate web services');
    if (action === 'block' || action === 'suspend') {
      if (reason === undefined) throw new Refusal('invalid_input', `reason: is needed to ${action} a web service`);
      await this.ledger.execute(id, at => ({ kind: action, actorId, reason, at }));
    } else {
      await this.ledger.execute(id, at => ({ kind: action, actorId, reason, at }));
    }
  }
}
