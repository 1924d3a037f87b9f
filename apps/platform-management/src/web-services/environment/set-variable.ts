import { MASKED_VALUE, type ReplyOf, type RequestOf, setVariable } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { NamedValueRepository } from './named-value-repository.js';
import { valueToSet } from './value-requests.js';

/** Creates or updates one variable of a web service. */
@Handles(setVariable)
export class SetVariable {
  constructor(
    private readonly webServices: WebServices,
    private readonly values: NamedValueRepository,
  ) {}

  async execute(request: RequestOf<typeof setVariable>): Promise<ReplyOf<typeof setVariable>> {
    const { web_service_id, key, value } = request;
    await this.webServices.requireOwner(request, web_service_id);
    const [set] = await this.values.set('variables', web_service_id, [valueToSet({ ...request, scope: undefined })]);
    if (!set) throw new Error(`setting the variable ${key} returned no result`);
    return {
      variable: { id: set.id, key, value: set.isSecret ? MASKED_VALUE : value, is_secret: set.isSecret },
      created: set.created,
    };
  }
}
