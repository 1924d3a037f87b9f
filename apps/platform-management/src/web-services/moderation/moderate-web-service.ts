import { moderateWebService, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { AccountDirectory } from '../../accounts/users/ports.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServices } from '../services/web-services.projection.js';

/** Blocks, suspends, unblocks or resumes any web service for an operator. Blocking and suspending stop it and cancel its deployments. */
@Handles(moderateWebService)
export class ModerateWebService {
  constructor(
    private readonly repository: WebServiceRepository,
    private readonly accounts: AccountDirectory,
    private readonly webServices: WebServices,
  ) {}

  async execute(request: RequestOf<typeof moderateWebService>): Promise<ReplyOf<typeof moderateWebService>> {
    const { actor_id: actorId, web_service_id: id, action, reason } = request;
    const actor = await this.accounts.find(actorId);
    if (!actor?.operator) throw new Refusal('not_an_operator', 'only an operator can moderate web services');
    if (action === 'block' || action === 'suspend') {
      if (reason === undefined) throw new Refusal('invalid_input', `reason: is required to ${action} a web service`);
      await this.repository.execute(id, at => ({ kind: action, actorId, reason, at }));
    } else {
      await this.repository.execute(id, at => ({ kind: action, actorId, reason, at }));
    }
    return this.webServices.require(id);
  }
}
