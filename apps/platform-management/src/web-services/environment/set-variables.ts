import { type ReplyOf, type RequestOf, setVariables } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { NamedValueRepository } from './named-value-repository.js';
import { bulkResultOf, valueToSet } from './value-requests.js';

/** Creates or updates several variables of a web service atomically. */
@Handles(setVariables)
export class SetVariables {
  constructor(
    private readonly webServices: WebServices,
    private readonly values: NamedValueRepository,
  ) {}

  async execute(request: RequestOf<typeof setVariables>): Promise<ReplyOf<typeof setVariables>> {
    const { web_service_id, variables } = request;
    await this.webServices.requireOwner(request, web_service_id);
    return bulkResultOf(await this.values.set('variables', web_service_id, variables.map(valueToSet)));
  }
}
